import { describe, expect, it } from 'vitest'
import { bounds } from '../limits/bounds.ts'
import { FeedTail, type Follower } from './feed-tail.ts'

const page = 500

interface Feed {
  readonly head: number
  readonly epoch?: number
  /** The changed fields of each event. */
  readonly changed?: readonly string[]
}

/** What a read after `from` finds in a feed whose numbers have no gaps. */
function rowsAfter(from: number, { head, epoch = 1, changed = [] }: Feed) {
  const found = Array.from({ length: Math.min(page, Math.max(0, head - from)) }, (_, index) => from + 1 + index)
  const feed = { head: String(head), own_epoch: '0', epoch: String(epoch) }
  if (found.length === 0) return [{ ...feed, seq: null }]
  const event = { kind: 'deal.updated', resource_type: 'deal', version: null, changed_fields: changed }
  return found.map(seq => ({ ...feed, seq: String(seq), ...event }))
}

function aFollower(...types: string[]) {
  const follower: Follower & { news: number } = {
    epoch: null,
    types: new Set(types),
    isCutOff: false,
    news: 0,
    onNews: () => (follower.news += 1),
  }
  return follower
}

/** A tail from this number on, with one follower that counts its news. */
function aTail(from: number) {
  const tail = new FeedTail('organization', from)
  const follower = aFollower('deal')
  tail.followers.add(follower)
  const read = (feed: Feed) => tail.take(rowsAfter(tail.head, feed), { types: follower.types, page })
  const numbers = (after: number) => tail.after(after, follower)?.events.map(({ seq }) => seq)
  return { tail, follower, read, numbers }
}

describe('the tail of a feed', () => {
  it('keeps what it has read, and gives each follower what comes after its position', () => {
    const { tail, follower, read, numbers } = aTail(10)
    expect(read({ head: 13 })).toBe(false)
    expect([tail.head, follower.news, numbers(10), numbers(12), numbers(13), numbers(20)]).toEqual([
      13,
      1,
      [11, 12, 13],
      [13],
      [],
      [],
    ])
    expect(tail.after(9, follower)).toBe(null)
  })

  it('gives each follower the events that it asks for, tells it of no others, and says how far it has read', () => {
    const { tail, follower, read, numbers } = aTail(10)
    const other = aFollower('company')
    tail.followers.add(other)
    tail.take(rowsAfter(10, { head: 12 }), { types: tail.types, page })
    expect([numbers(10), tail.after(10, other), tail.after(12, other)]).toEqual([
      [11, 12],
      { events: [], toSeq: 12 },
      { events: [], toSeq: 12 },
    ])
    expect([follower.news, other.news]).toEqual([1, 0])
    read({ head: 13 })
    expect([tail.after(13, other), other.news]).toEqual([{ events: [], toSeq: 13 }, 1])
  })

  it('has nothing for a follower up to where events of its types were not looked for, and tells it so', () => {
    const { tail, read, numbers } = aTail(10)
    read({ head: 11 })
    const late = aFollower('company', 'deal')
    tail.followers.add(late)
    read({ head: 12 })
    expect([late.news, tail.after(11, late), tail.after(12, late)]).toEqual([1, null, { events: [], toSeq: 12 }])
    tail.take(rowsAfter(12, { head: 13 }), { types: tail.types, page })
    expect([tail.after(11, late), tail.after(12, late)?.events.length, numbers(10)]).toEqual([null, 1, [11, 12, 13]])
    // Nobody asked for companies meanwhile.
    read({ head: 14 })
    tail.take(rowsAfter(14, { head: 15 }), { types: tail.types, page })
    expect([tail.after(13, late), tail.after(14, late)?.events.length]).toEqual([null, 1])
  })

  it('tells nobody of a read that finds nothing', () => {
    const { follower, read } = aTail(10)
    read({ head: 10 })
    expect([follower.news, follower.isCutOff]).toEqual([0, false])
  })

  it('says that there is more to read after a full page', () => {
    const { tail, read } = aTail(0)
    expect([read({ head: 700 }), tail.head, read({ head: 700 }), tail.head]).toEqual([true, 500, false, 700])
  })

  it('forgets the oldest events beyond 2,000, and then those beyond the bytes it may keep', () => {
    const { tail, follower, read, numbers } = aTail(0)
    for (let head = page; head <= 3000; head += page) read({ head })
    const kept = numbers(3000 - 1000) ?? []
    expect([kept.length, tail.after(0, follower), tail.bytes <= bounds.feedTailBytes.most]).toEqual([1000, null, true])
    tail.keepAtMost(10_000)
    expect(tail.bytes).toBeLessThanOrEqual(10_000)
    expect([tail.after(2000, follower), (numbers(2995) ?? []).length]).toEqual([null, 5])
  })

  it('keeps no more than 1 MiB of events with many changed fields', () => {
    const { tail, read } = aTail(0)
    const changed = Array.from({ length: 100 }, (_, index) => `customFields.field-${index}`)
    for (let head = page; head <= 2000; head += page) read({ head, changed })
    expect(tail.bytes).toBeGreaterThan(bounds.feedTailBytes.most / 2)
    expect(tail.bytes).toBeLessThanOrEqual(bounds.feedTailBytes.most)
  })

  it('does not go back for a follower that is more numbers behind than one read looks at', () => {
    const { tail, follower, read } = aTail(10)
    expect(read({ head: 10 + bounds.feedScan.most + 1 })).toBe(false)
    expect([tail.head, follower.isCutOff, follower.news]).toEqual([10_011, true, 1])
  })

  it('has nothing for a follower that knows another epoch than the first one that it reads', () => {
    const { tail, follower, read } = aTail(10)
    const known = (epoch: number) => ({ ...follower, epoch })
    expect([tail.after(10, known(1)), tail.after(10, known(2))].map(later => later?.toSeq)).toEqual([10, 10])
    read({ head: 11, epoch: 2 })
    expect([tail.after(10, known(1))?.toSeq, tail.after(10, known(2))?.toSeq]).toEqual([undefined, 11])
  })

  it('cuts its followers off when the feed begins anew: in another epoch, or behind what it has read', () => {
    const other = aTail(10)
    other.read({ head: 11 })
    other.read({ head: 11, epoch: 2 })
    const restored = aTail(10)
    restored.read({ head: 11 })
    restored.read({ head: 5 })
    restored.read({ head: 6 })
    expect(restored.tail.after(5, { ...restored.follower, isCutOff: false })).toMatchObject({ toSeq: 6 })
    const gone = aTail(10)
    gone.tail.take([], { types: gone.follower.types, page })
    expect([other, restored, gone].map(({ follower }) => follower.isCutOff)).toEqual([true, true, true])
    expect(restored.tail.head).toBe(6)
  })

  it('is stale when the stored head differs from the one that it has read, or is of another epoch', () => {
    const { tail, read } = aTail(10)
    const look = (seq: number, epoch = 0) => {
      tail.isStale = false
      tail.look({ seq: String(seq), epoch: String(epoch) })
      return tail.isStale
    }
    read({ head: 11 })
    expect([look(11), look(12), look(10), look(11, 1)]).toEqual([false, true, true, true])
  })
})
