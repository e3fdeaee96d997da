/** What tells a runtime. Browsers have no `process`. */
const runtime: {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly versions?: Readonly<Record<string, string | undefined>>
  }
  readonly navigator?: { readonly userAgent?: string }
} = globalThis

/** A variable of the environment, where the runtime has one. Undefined if it is not set. */
export function environmentVariable(name: string): string | undefined {
  return runtime.process?.env?.[name] || undefined
}

/** The runtime and its major version, as `node/24`. Null in browsers: they name themselves, and ask the server about a changed header. */
export function runtimeName(): string | null {
  // Deno and Bun tell a version of Node.js as well.
  for (const name of ['deno', 'bun', 'node']) {
    const version = runtime.process?.versions?.[name]
    if (version) return `${name}/${version.split('.')[0]}`
  }
  return runtime.navigator?.userAgent === 'Cloudflare-Workers' ? 'workerd' : null
}
