import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { isObject, type JsonObject } from '../server/src/kernel/schema/index.ts'
import { Database } from '../server/src/kernel/sql/index.ts'
import type { Cleanup } from './cleanup.ts'
import type { Options } from './options.ts'
import { startProduct } from './processes.ts'
import { makeScene } from './scene.ts'
import { cpuSeconds, databaseCpuSeconds, MemoryWatch, postmasterOf } from './usage.ts'

const rounds = 3
const targetRatio = 1 / 3
const targetMegabytes = 250

/**
 * The speed of an export of contacts relative to `copy … to stdout with csv` of the same columns, alternately, and the peak memory of the
 * server meanwhile.
 */
export async function measureExport(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-export-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  for (const contacts of options.contacts) {
    console.log(`filling ${contacts} contacts`)
    const scene = await makeScene(connection, { contacts, organizations: 1, connections: 1 }, cleanup)
    const [member] = await scene.connections(1)
    if (member === undefined) throw new Error('the scene has no application')
    const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
    const database = new Database({ location: { url: scene.url }, connections: 1 })
    cleanup.add(() => database.close())
    const memory = new MemoryWatch(product.pid)
    cleanup.add(async () => memory.stop())
    const call = caller(`${product.url}/api/v1/crm/exports`, member.token)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const cpu = async () => [await cpuSeconds(product.pid), await databaseCpuSeconds(postmaster)] as const
      const timed = async (work: () => Promise<unknown>) => {
        const [[own, its], began] = [await cpu(), performance.now()]
        await work()
        const seconds = (performance.now() - began) / 1000
        const [ownThen, itsThen] = await cpu()
        return {
          seconds,
          text: `${seconds.toFixed(1)} s (cpu: ${(ownThen - own).toFixed(1)}, database ${(itsThen - its).toFixed(1)})`,
        }
      }
      const copied = await timed(() => database.script(copyOf(member.organizationId, member.applicationId)))
      const exported = await timed(() => exportAll(call))
      ratios.push(copied.seconds / exported.seconds)
      console.log(`  copy ${copied.text}; export ${exported.text}`)
    }
    const ratio = Math.max(...ratios)
    const megabytes = memory.most / 1024 / 1024
    console.log(
      `  ${ratio.toFixed(2)} of the speed of copy: ${ratio >= targetRatio ? 'meets' : 'below'} ${targetRatio.toFixed(2)}`,
    )
    console.log(
      `  ${megabytes.toFixed(0)} MB: ${megabytes < targetMegabytes ? 'meets' : 'above'} ${targetMegabytes} MB`,
    )
  }
}

type Call = (path: string, body?: object) => Promise<JsonObject>

function caller(url: string, token: string): Call {
  return async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answer = await fetch(`${url}${path}`, { ...sent, headers: { ...headers, ...key } })
    const text = await answer.text()
    const envelope: unknown = JSON.parse(text)
    if (!answer.ok || !isObject(envelope) || !isObject(envelope.data)) throw new Error(`the export answered ${text}`)
    return envelope.data
  }
}

async function exportAll(call: Call): Promise<void> {
  const { id } = await call('', { type: 'contacts' })
  for (;;) {
    const { status, failure } = await call(`/${String(id)}`)
    if (status === 'completed') return
    if (status === 'failed') throw new Error(`the export failed: ${JSON.stringify(failure)}`)
    await sleep(50)
  }
}

/** The columns of an export of contacts, written by PostgreSQL alone; the output is discarded. */
function copyOf(organizationId: string, applicationId: string): string {
  const listed = (list: string) => [0, 1, 2].map(index => `c.contact_data -> '${list}' -> ${index} ->> 'value'`)
  const parts = ['country', 'region', 'city', 'postalCode', 'line1', 'line2', 'label']
  const columns = [
    'c.id',
    `(select k.key from external_keys k where k.organization_id = c.organization_id and k.resource_id = c.id
        and k.application_id = '${applicationId}' and k.kind = 'contact' and not k.gone limit 1)`,
    ...['first_name', 'middle_name', 'last_name', 'job_title', 'description', 'source', 'owner_uuid'].map(
      name => `c.${name}`,
    ),
    ...listed('phones'),
    ...listed('emails'),
    ...parts.map(part => `c.contact_data -> 'addresses' -> 0 ->> '${part}'`),
    `c.contact_data ->> 'birthDate'`,
    `(select string_agg(g.name, ';') from tags g where g.organization_id = c.organization_id and g.id = any (c.tag_ids))`,
  ]
  return `copy (select ${columns.join(', ')} from contacts c
    where c.organization_id = '${organizationId}' and c.anonymized_at is null order by c.id) to stdout with csv`
}
