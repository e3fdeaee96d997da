import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createOperator } from '../../server/src/settings/index.ts'
import { aForm } from '../conformance/support/forms.ts'
import type { Answer } from '../support/client.ts'
import { testSecret } from '../support/database.ts'
import { everyAttack } from './support/promises.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { unfair } from './support/slowness.ts'
import { useStage } from './support/stage.ts'

// ABUSE_JOBS=full, with ABUSE_CONTACTS=1000000, is the largest of each, and takes some minutes.
const isFull = process.env['ABUSE_JOBS'] === 'full'
const rows = isFull ? 100_000 : 3000
const targets = isFull ? 10_000 : 3000
const lookMilliseconds = 500

const stage = useStage('an import, an export and a bulk job at once')
let measured: Measured
let jobs: readonly string[] = []

const selectTargets = statement(
  'abuse_bulk_targets',
  'select c.id from contacts c where c.organization_id = $1 order by c.id limit $2',
)

beforeAll(
  async () => {
    if (isFull) vi.setConfig({ hookTimeout: 1_800_000 })
    measured = await stage.measure(carryOut, { compared: [unfair] })
  },
  isFull ? 1_800_000 : undefined,
)

/** Starts the largest import, export and bulk job of one organization, and waits until all have ended. */
async function carryOut(): Promise<Outcome> {
  const began = performance.now()
  jobs = await Promise.all([startImport(), startExport(), startBulkJob()])
  while ((await Promise.all(jobs.map(isUnfinished))).includes(true)) await sleep(lookMilliseconds)
  return { statuses: {}, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
}

const expected = ({ status, data, error }: Answer, wanted: number): string => {
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${JSON.stringify(error)}`)
  return String(data.id)
}

async function startImport(): Promise<string> {
  const lines = Array.from({ length: rows }, (_, index) => `Person ${index},person.${index}@example.org`)
  const file = { name: 'file', fileName: 'persons.csv', content: `name,mail\n${lines.join('\n')}\n` }
  const form = aForm([file, { name: 'entityType', content: 'contacts' }])
  const id = expected(await stage.loud.post('/imports', undefined, form), 201)
  const body = { mapping: { firstName: 0, email1: 1 }, dedupPolicy: 'create_only' }
  expected(await stage.loud.post(`/imports/${id}/start`, body), 202)
  return `/imports/${id}`
}

async function startExport(): Promise<string> {
  return `/exports/${expected(await stage.loud.post('/exports', { type: 'contacts' }), 202)}`
}

async function startBulkJob(): Promise<string> {
  const administration = { database: stage.database, secret: testSecret }
  // One more each time, so that every target is written, also when all is measured anew.
  const operator = {
    organizationId: stage.scene.loud.organizationId,
    name: 'Olga',
    email: `${randomUUID()}@example.com`,
  }
  const { id: ownerUuid } = await createOperator(administration, operator)
  const found = await stage.database.search(selectTargets, [stage.scene.loud.organizationId, targets])
  const body = {
    entityType: 'contact',
    action: 'update',
    targets: found.map(({ id }) => ({ id })),
    changes: { ownerUuid },
  }
  return `/bulk-jobs/${expected(await stage.loud.post('/bulk-jobs', body), 202)}`
}

async function isUnfinished(path: string): Promise<boolean> {
  return (await stage.loud.get(path)).data.finishedAt === null
}

test('each job comes to its end', async () => {
  const ended = await Promise.all(jobs.map(async path => (await stage.loud.get(path)).data))
  expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
})

test('another organization waits at most four times as long as alone', () => {
  expect(unfair(measured)).toEqual([])
})

everyAttack(stage, () => measured)
