import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { raiseEpochOf, statement } from '../../server/src/kernel/sql/index.ts'
import { pauseWebhook } from '../../server/src/settings/index.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer } from '../support/called-server.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import {
  administered,
  aNewContact,
  aWebhook,
  beforeStatements,
  eventIn,
  noSecondLook,
  positionOf,
  startDelivery,
  untilPosition,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()
const receiving = () => aCalledServer((_, response) => response.end())

/** Counts who follows the feed of the organization from now on. */
function followers(): () => number {
  const { feedTails } = around.api.services
  const follow = feedTails.follow.bind(feedTails)
  const { id } = around.organization
  const following = new Set<object>()
  const spy = vi.spyOn(feedTails, 'follow').mockImplementation((organizationId, ...others) => {
    const follower = follow(organizationId, ...others)
    if (organizationId !== id) return follower
    following.add(follower)
    return {
      after: seq => follower.after(seq),
      leave: () => {
        following.delete(follower)
        follower.leave()
      },
    }
  })
  onTestFinished(() => spy.mockRestore())
  return () => following.size
}

describe('webhooks near the head of the feed', () => {
  it('are woken by a commit: an event is sent although the worker never looks a second time', async () => {
    const receiver = await receiving()
    await aWebhook(around, receiver)
    const following = followers()
    startDelivery(around.api, { interval: noSecondLook })
    await until('the webhook that follows the feed', () => following() === 1)
    const contacts = [await aNewContact(around), await aNewContact(around)]
    await until('both deliveries', () => receiver.received.length === 2)
    expect(receiver.received.map(each => eventIn(each).resourceId)).toEqual(contacts)
  })

  it('of one application share one read of the feed and one of its keys for each event', async () => {
    const receiver = await receiving()
    const following = followers()
    for (let count = 0; count < 10; count += 1) await aWebhook(around, receiver)
    startDelivery(around.api, { interval: noSecondLook })
    await until('ten webhooks that follow the feed', () => following() === 10)
    const read: string[] = []
    beforeStatements(around, name => {
      if (['select_changes', 'select_changes_again', 'select_feed_tail'].includes(name)) read.push(name)
    })
    await aNewContact(around)
    await until('ten deliveries', () => receiver.received.length === 10)
    expect(read).toEqual(['select_feed_tail', 'select_changes_again'])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  })

  it('of one organization share one read of the history of deals for each event', async () => {
    const receiver = await receiving()
    const following = followers()
    for (let count = 0; count < 10; count += 1) await aWebhook(around, receiver, { kinds: ['deal.won'] })
    startDelivery(around.api, { interval: noSecondLook })
    await until('ten webhooks that follow the feed', () => following() === 10)
    const read: string[] = []
    beforeStatements(around, name => {
      if (['select_closings_of_deals', 'select_changes_again'].includes(name)) read.push(name)
    })
    await aRecord('deal', around.organization, { stageUuid: around.organization.stages.won })
    await until('ten deliveries', () => receiver.received.length === 10)
    expect(read).toEqual(['select_closings_of_deals', 'select_changes_again'])
  })

  it('read no keys and store nothing for an event that none of them wants', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { kinds: ['company.*'] })
    await aWebhook(around, receiver, { kinds: ['*'], ownChanges: 'skip' })
    const following = followers()
    startDelivery(around.api, { interval: noSecondLook })
    await until('webhooks that follow the feed', () => following() === 2)
    const run: string[] = []
    beforeStatements(around, name => void run.push(name))
    await aNewContact(around)
    await until('the read of the event', () => run.includes('select_feed_tail'))
    await around.organization.client.post('/companies', { name: 'Acme' })
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([2])
    const ofWebhooks = run.filter(name => name.startsWith('select_changes') || name.startsWith('settle'))
    expect(ofWebhooks).toEqual(['select_changes_again', 'settle_webhook_deliveries'])
  })

  it('cost nothing at a commit of events that none of them asks for, and pass these', async () => {
    const id = await aWebhook(around, await receiving(), { kinds: ['company.*'] })
    const following = followers()
    const { delivery } = startDelivery(around.api, { interval: noSecondLook })
    await until('the webhook that follows the feed', () => following() === 1)
    const { feedTails } = around.api.services
    const committed = feedTails.committed.bind(feedTails)
    let readsAtCommits = 0
    const spy = vi.spyOn(feedTails, 'committed').mockImplementation((...commit) => {
      const before = feedTails.reads
      committed(...commit)
      readsAtCommits += feedTails.reads - before
    })
    onTestFinished(() => spy.mockRestore())
    for (let count = 0; count < 5; count += 1) await aNewContact(around)
    await until('the webhook that has passed them', () => delivery.lanes.get(id)?.state.settledSeq === 5)
    expect(readsAtCommits).toBe(0)
    await around.organization.client.post('/companies', { name: 'Acme' })
    await untilPosition(around, id, { seq: 6 })
    expect(readsAtCommits).toBe(1)
  })

  it('store that they have passed an event at the next look', async () => {
    const id = await aWebhook(around, await receiving(), { kinds: ['company.*'] })
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
  })

  it('store that they have passed an event when the worker stops', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { kinds: ['company.*'] })
    await aWebhook(around, receiver)
    const following = followers()
    const { stop, delivery } = startDelivery(around.api, { interval: noSecondLook })
    await until('webhooks that follow the feed', () => following() === 2)
    await aNewContact(around)
    await until('the delivery of the other one', () => receiver.received.length === 1)
    await until('the webhook that has passed it', () => delivery.lanes.get(id)?.state.settledSeq === 1)
    await stop()
    expect(await positionOf(around, id)).toMatchObject({ seq: 1 })
  })

  it('read pages of their own once they are too far behind, and miss nothing', async () => {
    setBound(bounds.feedTailEvents, 2)
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    const following = followers()
    startDelivery(around.api, { interval: noSecondLook })
    await until('the webhook that follows the feed', () => following() === 1)
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const read: string[] = []
    beforeStatements(around, async name => {
      read.push(name)
      if (name === 'select_feed_tail') await released
    })
    for (let count = 0; count < 5; count += 1) await aNewContact(around)
    release()
    await untilPosition(around, id, { seq: 5 })
    expect(read.filter(name => name === 'select_changes')).toHaveLength(1)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 6 })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(read.filter(name => name === 'select_changes')).toHaveLength(1)
  })

  it('hear that the feed has begun anew before anything of it, although the reader has not read the feed before', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    let isRaised = false
    beforeStatements(around, async (name, [organizationId]) => {
      // Webhooks of earlier tests have readers as well.
      if (name !== 'select_feed_tail' || organizationId !== around.organization.id || isRaised) return
      isRaised = true
      await around.api.test.database.query(raiseEpochOf, [around.organization.id])
      await aNewContact(around)
    })
    startDelivery(around.api, { interval: noSecondLook })
    await untilPosition(around, id, { seq: 1 })
    expect(receiver.received.map(each => eventIn(each).type)).toEqual(['feed.reset'])
  })

  it('hear at the next commit that the feed has begun anew', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    const following = followers()
    startDelivery(around.api, { interval: noSecondLook })
    await until('the webhook that follows the feed', () => following() === 1)
    // The reader knows the epoch from its first read.
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    await around.api.test.database.query(raiseEpochOf, [around.organization.id])
    await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    await aNewContact(around)
    await untilPosition(around, id, { seq: 3 })
    expect(receiver.received.map(each => eventIn(each).type)).toEqual([
      'contact.created',
      'feed.reset',
      'contact.created',
    ])
  })

  it.each([
    ['have expired', 'delete from changes where organization_id = $1', 'oldest_seq = seq + 1'],
    ['were replaced', 'update changes set id = gen_random_uuid() where organization_id = $1', 'epoch = epoch + 1'],
  ])('send no events that %s while they hear of them', async (what, change, feed) => {
    const replace = statement(
      `test_changes_${what.replaceAll(' ', '_')}`,
      `with gone as (${change})
       update organization_feed set ${feed} where organization_id = $1`,
    )
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    const following = followers()
    startDelivery(around.api)
    await until('the webhook that follows the feed', () => following() === 1)
    let isFirst = true
    beforeStatements(around, async name => {
      if (name !== 'select_changes_again' || !isFirst) return
      isFirst = false
      await around.api.test.database.query(replace, [around.organization.id])
    })
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(each => eventIn(each).type)).toEqual(['feed.reset', 'contact.created'])
  })
})

describe('the shared reader has no follower', () => {
  const endsOfRights = statement(
    'test_revoke_tokens',
    'update api_tokens set revoked_at = now() where organization_id = $1',
  )

  it.each([
    ['whose worker has stopped', ({ stop }) => stop()],
    [
      'whose webhook is paused',
      async (_, id) => void (await pauseWebhook(around.api.test, { organizationId: around.organization.id, id })),
    ],
    [
      'whose webhook has no rights any more',
      async () => {
        await around.api.test.database.query(endsOfRights, [around.organization.id])
        await administered(around.api)
      },
    ],
  ] as const satisfies [string, (worker: ReturnType<typeof startDelivery>, id: string) => Promise<void>][])(
    '%s',
    async (_, happens) => {
      const following = followers()
      const id = await aWebhook(around, await receiving())
      const worker = startDelivery(around.api)
      await until('the webhook that follows the feed', () => following() === 1)
      await happens(worker, id)
      await until('nobody who follows it', () => following() === 0)
    },
  )

  it('whose receiver is down, until it takes events again', async () => {
    let status = 503
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
    const following = followers()
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held' })
    await until('nobody who follows it', () => following() === 0)
    status = 200
    around.clock.advance(10_000)
    await untilPosition(around, id, { state: 'active', seq: 1 })
    await until('the webhook that follows the feed', () => following() === 1)
  })
})
