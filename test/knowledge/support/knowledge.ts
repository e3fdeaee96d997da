import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aForm } from '../../conformance/support/forms.ts'
import { expectStatus } from '../../conformance/support/imports.ts'
import type { TestApi } from '../../support/api.ts'
import type { Answer, Client } from '../../support/client.ts'
import { runJobs } from '../../support/jobs.ts'

export const basesPath = '/api/v1/ai-agents/external/knowledge-bases'

/** The id of a new knowledge base. */
export async function aBase(client: Client, name = 'Help'): Promise<string> {
  return String(expectStatus(await client.post(basesPath, { name }), 201).id)
}

interface Sent {
  readonly base: string
  readonly id: string
  readonly name: string
  readonly content: string | Uint8Array
  readonly key?: string
}

/** Uploads a file, or other bytes for one. */
export function putFile(client: Client, { base, id, name, content, key }: Sent): Promise<Answer> {
  const form = aForm([{ name: 'file', fileName: name, content }])
  return client.put(`${basesPath}/${base}/files/${id}`, undefined, { ...form, ...(key === undefined ? {} : { key }) })
}

/** A file after its text was read, or could not be. */
export async function readFile(api: TestApi, client: Client, sent: Sent): Promise<JsonObject> {
  expectStatus(await putFile(client, sent), 200)
  await indexFiles(api)
  const { items } = await client.get(`${basesPath}/${sent.base}/files`)
  return items.find(({ id }) => id === sent.id) ?? {}
}

/** Reads all files that wait. */
export async function indexFiles(api: TestApi): Promise<void> {
  const { failures, ended } = await runJobs(api)
  const failed = failures[0]?.error ?? ended.find(({ outcome }) => outcome === 'failed')?.error
  if (failed !== undefined) throw new Error('a job has failed', { cause: failed })
}
