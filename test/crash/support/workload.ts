import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Insisting } from './insist.ts'

/** What a round leaves to be checked. */
export interface Done {
  readonly bulkJob: JsonObject
  readonly export: JsonObject
  readonly import: JsonObject
  /** The deal that files were attached to, and the hashes of what was sent. */
  readonly dealId: string
  readonly hashes: readonly string[]
  /** Each look at the job, the export and the import while they were at work. */
  readonly looks: readonly JsonObject[]
}

interface Workload {
  readonly name: string
  readonly taskIds: readonly string[]
  readonly companyId: string
  readonly rows: number
  readonly files: number
}

const final = ['completed', 'completed_with_errors', 'failed', 'canceled', 'expired']

/** Asks for a bulk job, an export and an import, and attaches files meanwhile; resolves when all of it is done. */
export async function workload(client: Insisting, work: Workload, begun: () => void): Promise<Done> {
  const { name, taskIds, companyId, rows } = work
  const title = { title: name, companies: [{ id: companyId }] }
  const dealId = idOf(await client.post('/deals', title))
  // Each round changes every task, whatever the rounds before have made of it.
  const startAt = new Date(Date.now()).toISOString()
  const targets = taskIds.map(id => ({ id }))
  const job = { entityType: 'task', action: 'update', targets, changes: { startAt } }
  const importId = idOf(
    await client.send('/imports', [
      { name: 'file', fileName: 'rows.csv', content: fileOf(name, rows) },
      { name: 'entityType', content: 'contacts' },
    ]),
  )
  begun()
  const [bulkId, exportId, , hashes] = await Promise.all([
    client.post('/bulk-jobs', job).then(idOf),
    client.post('/exports', { type: 'companies' }).then(idOf),
    client.post(`/imports/${importId}/start`, {
      mapping: { lastName: 'Name', externalId: 'Key', email1: 'Mail' },
      dedupPolicy: 'create_only',
    }),
    attachFiles(client, dealId, work),
  ])
  const looks: JsonObject[] = []
  const ended = async (path: string) => {
    for (;;) {
      const { data } = await client.get(path)
      if (!isObject(data)) throw new Error(`${path} has no data`)
      looks.push(data)
      if (final.includes(String(data.status))) return data
      await sleep(100)
    }
  }
  const paths = [`/bulk-jobs/${bulkId}`, `/exports/${exportId}`, `/imports/${importId}`]
  const [bulkJob = {}, exported = {}, imported = {}] = await Promise.all(paths.map(ended))
  return { bulkJob, export: exported, import: imported, dealId, hashes, looks }
}

/** One after another, each until it is there. Gives the hashes of the bytes. */
async function attachFiles(client: Insisting, dealId: string, { name, files }: Workload): Promise<string[]> {
  const hashes: string[] = []
  for (let index = 0; index < files; index += 1) {
    const content = Buffer.alloc(300_000, `${name} ${index} `)
    const path = `/deals/${dealId}/files?expectedVersion=${1 + index}`
    await client.send(path, [{ name: 'files', fileName: `${index}.txt`, content }])
    hashes.push(createHash('sha256').update(content).digest('hex'))
    await sleep(30)
  }
  return hashes
}

function fileOf(name: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `${name},${name}-${index},${name}-${index}@example.com`)
  return ['Name,Key,Mail', ...lines, ''].join('\r\n')
}

function idOf({ data }: JsonObject): string {
  if (!isObject(data)) throw new Error('an answer has no data')
  return String(data.id)
}
