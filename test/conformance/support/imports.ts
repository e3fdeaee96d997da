import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import type { Answer, Client } from '../../support/client.ts'
import { runJobs } from '../../support/jobs.ts'
import { aForm } from './forms.ts'

/** Uploads a file; its rows are about `entityType`. */
export function upload(
  client: Client,
  content: string | Uint8Array,
  { entityType = 'contacts', fileName = 'rows.csv' }: { entityType?: string; fileName?: string } = {},
): Promise<Answer> {
  const file = { name: 'file', fileName, content }
  return client.post('/imports', undefined, aForm([file, { name: 'entityType', content: entityType }]))
}

export interface Imported {
  readonly entityType?: string
  readonly mapping: JsonObject
  readonly dedupPolicy?: unknown
  readonly defaults?: JsonObject
  readonly dryRun?: boolean
  readonly missingCompany?: string | undefined
  readonly missingTag?: string | undefined
  readonly onInvalidCell?: string | undefined
  readonly preview?: JsonObject
  readonly dateFormat?: string
  readonly decimalMark?: string
}

/** Imports a file to the end, and gives the import as it is then. */
export async function importFile(
  api: Pick<TestApi, 'services'>,
  client: Client,
  content: string | Uint8Array,
  { entityType = 'contacts', preview, dedupPolicy = 'create_or_update', ...body }: Imported,
): Promise<JsonObject> {
  const { id } = expectStatus(await upload(client, content, { entityType }), 201)
  if (preview !== undefined) expectStatus(await client.post(`/imports/${id}/preview`, preview), 200)
  expectStatus(await client.post(`/imports/${id}/start`, { dedupPolicy, ...body }), 202)
  const worker = await runJobs(api)
  if (worker.failures.length > 0) throw worker.failures[0]?.error
  return (await client.get(`/imports/${id}`)).data
}

/** The data of an answer with this status. */
export function expectStatus({ status, data, body }: Answer, expected: number): JsonObject {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`)
  return data
}

/** A table of comma-separated values. */
export function csv(...rows: readonly (readonly unknown[])[]): string {
  const quoted = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`
  return rows.map(row => `${row.map(quoted).join(',')}\r\n`).join('')
}

/** Row, field and code of the errors of an import. */
export function errorsOf({ errors }: JsonObject): unknown[] {
  return Array.isArray(errors) ? errors.map(({ row, field, code }) => [row, field, code]) : []
}
