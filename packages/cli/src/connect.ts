import { type ClientOptions, Crm } from 'crm-sdk'
import { UsageError } from './failure.ts'
import type { Profile } from './profiles.ts'
import { version } from './version.ts'

/** A client of a server, which is told the name of this program. Throws UsageError for what is no address. */
export function connect({ url, token }: Profile, options: Partial<ClientOptions> = {}): Crm {
  assertAddress(url)
  const send = options.fetch ?? fetch
  const named: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('user-agent', `crm-cli/${version} ${headers.get('user-agent') ?? ''}`.trimEnd())
    return send(input, { ...init, headers })
  }
  return new Crm({ ...options, url, token, fetch: named })
}

/** Throws UsageError for a text that is no address of a server. */
export function assertAddress(url: string): void {
  if (!/^https?:\/\//iu.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is no address of a server: write it as https://crm.example.org`)
}
