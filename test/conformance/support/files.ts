import { request } from 'node:http'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Answer, CallOptions, Client } from '../../support/client.ts'
import { aForm, type Part } from './forms.ts'

/** A file of a form. */
export function aFile(content: string | Uint8Array = 'Two hundred chairs', fileName = 'offer.txt'): Part {
  return { name: 'files', fileName, content }
}

/** Attaches files to a deal or task. `owner` is its path. */
export function attach(
  client: Client,
  owner: string,
  version: unknown,
  files: readonly Part[] = [aFile()],
  options: CallOptions = {},
): Promise<Answer> {
  return client.post(`${owner}/files?expectedVersion=${version}`, undefined, { ...options, ...aForm(files) })
}

export interface Downloaded {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

/** Follows a link as a browser does: without a token. */
export function download(
  url: unknown,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Downloaded> {
  return new Promise((resolve, reject) => {
    const call = request(new URL(String(url)), { method, headers, agent: false }, answer => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}

/** The names of records in an answer. */
export function namesIn({ items }: Answer): unknown[] {
  return items.map(({ name }: JsonObject) => name)
}
