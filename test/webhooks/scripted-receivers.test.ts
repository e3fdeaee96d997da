import fc from 'fast-check'
import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { aCalledServer } from '../support/called-server.ts'
import { roundsOf } from '../support/random.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, eventIn, startDelivery, useWebhooks } from './support.ts'

const around = useWebhooks()
const receivers = 10
const records = 6
const changes = 4

/** What a receiver does with its first calls, one after another; it takes all later ones. */
const script = fc.array(fc.constantFrom(200, 200, 204, 302, 400, 404, 500, 503, 429, 0), { maxLength: 12 })
const scripts = fc.sample(
  fc.array(script, { minLength: receivers, maxLength: receivers }),
  roundsOf('WEBHOOK_SCRIPTS', 1),
)

const selectOpen = statement(
  'test_count_scripted_open',
  `select (select count(*) from webhook_positions p join organization_feed f on f.organization_id = p.organization_id
            where p.organization_id = $1 and p.settled_seq >= f.seq and p.state = 'active')::integer as done,
          (select count(*) from webhook_parked k where k.organization_id = $1)::integer as parked`,
)

/** A receiver that follows a script, and notes what it has taken of each record, and of which it had two calls at once. */
async function aScriptedReceiver(answers: readonly number[]) {
  const busy = new Set<string>()
  const together: string[] = []
  const taken = new Map<string, number[]>()
  const receiver = await aCalledServer((request, response) => {
    const answer = answers[receiver.received.length - 1] ?? 200
    const last = receiver.received.at(-1)
    if (last === undefined) return
    const { resourceId, data } = eventIn(last)
    if (busy.has(resourceId)) together.push(resourceId)
    busy.add(resourceId)
    setTimeout(() => {
      busy.delete(resourceId)
      if (answer === 0) return void request.socket.destroy()
      if (answer < 300) taken.set(resourceId, [...(taken.get(resourceId) ?? []), Number(data.version)])
      response.writeHead(answer).end()
    }, 2)
  })
  return { receiver, taken, together, id: await aWebhook(around, receiver) }
}

it.each(scripts.map(each => [JSON.stringify(each), each] as const))(
  'receivers with the scripts %s get everything, in order for each record and never two of one at once',
  async (_, each) => {
    setBound(webhookBounds.webhookStop, 100)
    const called = await Promise.all(each.map(aScriptedReceiver))
    const { failures } = startDelivery(around.api)
    const contacts = await Promise.all(Array.from({ length: records }, () => aNewContact(around)))
    for (let version = 1; version <= changes; version += 1) {
      const write = (contact: string) =>
        around.organization.client.patch(`/contacts/${contact}`, { expectedVersion: version, jobTitle: `${version}` })
      await Promise.all(contacts.map(write))
    }
    await until('the end of all deliveries', async () => {
      around.clock.advance(60_000)
      const [row] = await around.api.test.database.query(selectOpen, [around.organization.id])
      return row?.done === receivers && row.parked === 0
    })
    for (const { taken, together } of called) {
      expect(together).toEqual([])
      for (const contact of contacts) {
        const versions = taken.get(contact) ?? []
        expect([versions[0], versions.at(-1)]).toEqual([1, changes + 1])
        expect(versions).toEqual(versions.toSorted((one, other) => one - other))
      }
    }
    expect(failures).toEqual([])
  },
  120_000,
)
