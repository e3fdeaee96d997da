import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOperator } from '../../server/src/settings/index.ts'
import { aFile, attach } from '../conformance/support/files.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { administrationOf } from '../process/support/installations.ts'
import { type Client, objectOf } from '../support/client.ts'
import type { Outcome } from './support/protocol.ts'
import type { Measured } from './support/report.ts'
import { longerThanAlone } from './support/slowness.ts'
import { type Stage, useStage } from './support/stage.ts'

const seconds = 6
/** How many times longer than alone another organization may wait, beside one kind of work and beside all of them at once. */
const besideOne = 4
const besideAll = 6

/** Work of one organization that goes on until the time is over. */
type Work = (stage: Stage, isOver: () => boolean) => Promise<unknown>

/** So many clients that each do this again and again. */
const clients =
  (count: number, begin: () => (client: Client) => Promise<unknown>): Work =>
  ({ loud }, isOver) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const once = begin()
        while (!isOver()) await once(loud)
      }),
    )

const ended = async (client: Client, path: string, isOver: () => boolean) => {
  while (!isOver() && (await client.get(path)).data.finishedAt === null)
    await new Promise(resolve => setTimeout(resolve, 50))
}

const keys = (count: number) => Array.from({ length: count }, () => randomUUID())

const twoMebibytes = Buffer.alloc(2 * 1024 * 1024, 'x')

const works: Readonly<Record<string, Work>> = {
  searches: clients(12, () => client => client.get('/search?q=petrova')),
  // Batches and imports change records that they have made: the searches of other attacks shall not find more.
  batches: clients(12, () => {
    let items: object[] = keys(100).map(externalId => ({ externalId, firstName: 'Anna', lastName: 'Petrova' }))
    return async client => {
      const { items: results } = await client.post('/contacts/batch/upsert', { items })
      items = results.map(({ data }) => {
        const { externalId, version } = objectOf(data)
        return { externalId, expectedVersion: version, firstName: `Anna ${String(version)}` }
      })
    }
  }),
  uploads: clients(8, () => async client => {
    const { id, version } = expectStatus(await client.post('/tasks', { title: 'Files' }), 201)
    return attach(client, `/tasks/${id}`, version, [aFile(twoMebibytes)])
  }),
  'imports with exports': async ({ loud: client }, isOver) => {
    const known = keys(2000)
    for (let round = 0; !isOver(); round += 1) {
      const exported = expectStatus(await client.post('/exports', { type: 'contacts' }), 202)
      const rows = known.map((key, index) => [key, `Person ${index} of ${round}`])
      const { id } = expectStatus(await upload(client, csv(['key', 'name'], ...rows)), 201)
      const dedupPolicy = { strategy: 'create_or_update', onConflict: 'overwrite' }
      const body = { mapping: { externalId: 'key', firstName: 'name' }, dedupPolicy }
      expectStatus(await client.post(`/imports/${id}/start`, body), 202)
      await Promise.all([ended(client, `/imports/${id}`, isOver), ended(client, `/exports/${exported.id}`, isOver)])
    }
  },
  'bulk jobs': async ({ loud: client, scene, database }, isOver) => {
    const { organizationId } = scene.loud
    const operator = { organizationId, name: 'Olga', email: `${randomUUID()}@example.com` }
    const { id: ownerUuid } = await createOperator(administrationOf(database), operator)
    const targets = await idsOf(client, 2000)
    for (let round = 0; !isOver(); round += 1) {
      const changes = { ownerUuid: round % 2 === 0 ? ownerUuid : null }
      const body = { entityType: 'contact', action: 'update', targets, changes }
      const { id } = expectStatus(await client.post('/bulk-jobs', body), 202)
      await ended(client, `/bulk-jobs/${id}`, isOver)
    }
  },
}

/** As many contacts as targets of a bulk job. */
async function idsOf(client: Client, count: number): Promise<{ id: unknown }[]> {
  const targets: { id: unknown }[] = []
  for (let cursor = ''; targets.length < count; ) {
    const page = await client.get(`/contacts?limit=100${cursor}`)
    targets.push(...page.items.map(({ id }) => ({ id })))
    cursor = `&cursor=${String(page.meta.nextCursor)}`
  }
  return targets
}

async function carryOut(stage: Stage, some: readonly Work[]): Promise<Outcome> {
  const began = performance.now()
  const isOver = () => performance.now() - began > seconds * 1000
  await Promise.all(some.map(work => work(stage, isOver)))
  return { statuses: {}, cutOff: 0, longest: 0, firstBody: '', seconds: (performance.now() - began) / 1000 }
}

/** How many times longer than alone the quiet organization has waited, at the worst hundredth. */
async function report(stage: Stage, { alone, during }: Measured): Promise<void> {
  for (const [index, { path, p99 }] of during.answered.entries()) {
    const before = alone?.answered[index]?.p99 ?? Number.NaN
    if (path.startsWith('/api/')) await stage.report('times longer at p99', p99 / before)
  }
}

/** A stage whose tables are left without the dead rows that the work has made: searches of other attacks would meet them. */
function useTidyStage(name: string): Stage {
  const stage = useStage(name)
  afterAll(() => stage.database.script('vacuum analyze'))
  return stage
}

describe.each(Object.entries(works))('beside %s', (name, work) => {
  const stage = useTidyStage(`fairness beside ${name}`)
  let measured: Measured
  beforeAll(async () => {
    measured = await stage.measure(() => carryOut(stage, [work]), {
      compared: [each => longerThanAlone(each, besideOne, ['p99'])],
    })
    await report(stage, measured)
  })

  test('another organization waits at most four times as long as alone', () => {
    expect(longerThanAlone(measured, besideOne, ['p99'])).toEqual([])
  })
})

describe('beside all of these at once', () => {
  const stage = useTidyStage('fairness beside all at once')
  let measured: Measured
  beforeAll(async () => {
    const all = Object.values(works)
    measured = await stage.measure(() => carryOut(stage, all), {
      compared: [each => longerThanAlone(each, besideAll, ['p99'])],
    })
    await report(stage, measured)
  })

  test('another organization waits at most six times as long as alone', () => {
    expect(longerThanAlone(measured, besideAll, ['p99'])).toEqual([])
  })
})
