import { expect, onTestFinished, test } from 'vitest'
import type { Row } from '../sql/index.ts'
import { FeedTails } from './feed-tails.ts'

const organizationId = '019bd1c8-7c40-7969-82b3-c1ba08162915'

/** The tails of a process, and a feed to which it writes events of one type each. */
function aFeed() {
  const feed: string[] = []
  const answered: (() => void)[] = []
  let isHeld = false
  const read = (after: number, types: readonly string[]) => {
    const found = feed.flatMap((type, index) =>
      index >= after && types.includes(type) ? { seq: index + 1, type } : [],
    )
    const events = found.map(({ seq, type }) => ({ seq, kind: `${type}.updated`, resource_type: type, version: null }))
    return (events.length === 0 ? [{ seq: null }] : events).map(each => ({
      head: feed.length,
      own_epoch: 0,
      epoch: 1,
      ...each,
    }))
  }
  const query = async <R extends Row>(
    { name }: { readonly name: string },
    values: readonly unknown[] = [],
  ): Promise<R[]> => {
    const [, after, types] = values
    const rows =
      name === 'select_feed_heads'
        ? [{ organization_id: organizationId, seq: feed.length, epoch: 0 }]
        : read(Number(after), Array.isArray(types) ? types.map(String) : [])
    if (isHeld && name !== 'select_feed_heads') await new Promise<void>(resolve => answered.push(resolve))
    return JSON.parse(JSON.stringify(rows))
  }
  const tails = new FeedTails({ query }, error => expect(error).toBeUndefined())
  onTestFinished(() => tails.stop())
  return {
    tails,
    commit(type: string) {
      feed.push(type)
      tails.committed(organizationId, new Set([type]))
    },
    follow(after: number, ...types: string[]) {
      let news = 0
      const follower = tails.follow(organizationId, { after, types: new Set(types), onNews: () => (news += 1) })
      return {
        ...follower,
        news: () => news,
        found: (seq: number) => follower.after(seq)?.events.map(each => each.seq),
      }
    },
    /** From now on reads take until `release`. */
    hold: () => void (isHeld = true),
    release() {
      isHeld = false
      for (const resolve of answered.splice(0)) resolve()
    },
  }
}

test('a commit of events that no follower asks for is not read, and passed within a second', async () => {
  const { tails, commit, follow } = aFeed()
  const follower = follow(0, 'deal')
  await expect.poll(() => follower.after(0)).toEqual({ events: [], toSeq: 0 })
  const before = tails.reads
  for (let count = 0; count < 100; count += 1) commit('contact')
  expect(tails.reads).toBe(before)
  await expect.poll(() => [follower.after(0)?.toSeq, follower.news() > 0], { timeout: 10_000 }).toEqual([100, true])
  commit('deal')
  await expect.poll(() => follower.found(100)).toEqual([101])
})

test('one who begins to follow gets what was committed just before, although nobody asked for it then', async () => {
  const { commit, follow } = aFeed()
  const other = follow(0, 'deal')
  await expect.poll(() => other.after(0)?.toSeq).toBe(0)
  commit('contact')
  const follower = follow(0, 'contact')
  await expect.poll(() => follower.found(0)).toEqual([1])
})

test('one who begins to follow during a read for others gets what was committed before the follower came', async () => {
  const { commit, follow, hold, release } = aFeed()
  const other = follow(0, 'deal')
  await expect.poll(() => other.after(0)?.toSeq).toBe(0)
  hold()
  commit('deal')
  commit('contact')
  const follower = follow(1, 'contact')
  release()
  await expect.poll(() => follower.found(1)).toEqual([2])
})
