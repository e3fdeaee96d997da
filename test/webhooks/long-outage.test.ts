import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCalledServer } from '../support/called-server.ts'
import { roundsOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, eventIn, positionOf, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const minute = 60_000
const inBatch = 100
const batches = roundsOf('WEBHOOK_BACKLOG', 400) / inBatch

const countRows = statement(
  'test_count_rows_of_outage',
  `select (select count(*)::integer from webhook_runs r where r.organization_id = $1) as runs,
          (select count(*)::integer from webhook_parked p where p.organization_id = $1) as parked,
          (select count(*)::integer from webhook_failures f where f.organization_id = $1) as failures`,
)
const rows = async () => (await around.api.test.database.query(countRows, [around.organization.id]))[0]

it(
  'a receiver that is down for two hours costs a row for each call, and gets everything after one probe',
  async () => {
    let isDown = true
    /** How many calls were under way when each one arrived. */
    const underWay: number[] = []
    let open = 0
    const receiver = await aCalledServer((_, response) => {
      underWay.push(open)
      open += 1
      setTimeout(() => {
        open -= 1
        response.writeHead(isDown ? 503 : 200).end()
      }, 1)
    })
    const id = await aWebhook(around, receiver)
    const { failures } = startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held', failures: 1, seq: 0 })
    for (let batch = 0; batch < batches; batch += 1) {
      const items = Array.from({ length: inBatch }, (_, n) => ({
        externalId: `outage-${batch}-${n}`,
        lastName: 'Petrova',
      }))
      expect((await around.organization.client.post('/contacts/batch/upsert', { items })).status).toBe(200)
    }
    for (let minutes = 0; minutes < 120; minutes += 10) {
      const before = Number((await positionOf(around, id))?.failures)
      around.clock.advance(10 * minute)
      const isDue = Date.parse(String((await positionOf(around, id))?.resume_at)) <= around.clock.now()
      if (isDue) await untilPosition(around, id, { failures: before + 1 })
    }
    const calls = receiver.received.length
    expect(calls).toBeLessThan(12)
    expect(await rows()).toEqual({ runs: 0, parked: 0, failures: calls })
    expect(new Set(receiver.received.map(each => eventIn(each).seq))).toEqual(new Set([1]))

    isDown = false
    around.clock.advance(60 * minute)
    const all = batches * inBatch + 1
    await until('all deliveries', async () => (await positionOf(around, id))?.seq === all, 60_000 + batches * 4000)
    await untilPosition(around, id, { state: 'active', failures: 0 })
    const seqs = receiver.received.slice(calls).map(each => eventIn(each).seq)
    expect(seqs[0]).toBe(1)
    // Nothing else is under way beside the probe.
    expect(underWay[calls + 1]).toBe(0)
    expect(seqs.toSorted((one, other) => one - other)).toEqual(Array.from({ length: all }, (_, n) => n + 1))
    expect(failures).toEqual([])
  },
  60_000 + batches * 5000,
)
