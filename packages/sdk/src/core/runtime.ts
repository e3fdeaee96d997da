import { isObject, type JsonObject, textOf } from './json.ts'

/** A variable of the environment, where the runtime has one. Undefined if it is not set. */
export function environmentVariable(name: string): string | undefined {
  return textOf(memberOf(processOf(), 'env'), name) || undefined
}

/** The runtime and its major version, as `node/24`. Null in browsers: they name themselves, and ask the server about a changed header. */
export function runtimeName(): string | null {
  const versions = memberOf(processOf(), 'versions')
  // Deno and Bun tell a version of Node.js as well.
  for (const name of ['deno', 'bun', 'node']) {
    const version = textOf(versions, name)
    if (version !== '') return `${name}/${version.split('.')[0]}`
  }
  return textOf(memberOf(globalThis, 'navigator'), 'userAgent') === 'Cloudflare-Workers' ? 'workerd' : null
}

function processOf(): JsonObject {
  return memberOf(globalThis, 'process')
}

function memberOf(object: object, name: string): JsonObject {
  const value: unknown = Reflect.get(object, name)
  return isObject(value) ? value : {}
}
