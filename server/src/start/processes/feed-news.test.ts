import { expect, test } from 'vitest'
import { FeedTails } from '../../kernel/feed/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { FeedNews } from './feed-news.ts'
import { FollowedFeeds } from './followed-feeds.ts'
import type { ToPart } from './messages.ts'

const organizationId = '019bd1c8-7c40-7969-82b3-c1ba08162915'
const types = new Set(['deal'])

/** Two processes of a server on one feed, and the number of messages of the second one. */
function aServer() {
  let head = 0
  const query = async <R extends Row>(_: unknown, [, after]: readonly unknown[] = []): Promise<R[]> => {
    const event = head > Number(after) ? { seq: head, resource_type: 'deal', version: null } : { seq: null }
    return JSON.parse(JSON.stringify([{ head, own_epoch: 0, epoch: 1, ...event }]))
  }
  const parts = new Set<{ readonly isReady: boolean; tell(message: ToPart): void }>()
  const feeds = new FollowedFeeds(() => parts)
  const start = () => {
    const sent: string[] = []
    const tails = new FeedTails({ query }, error => expect(error).toBeUndefined())
    const news = new FeedNews(message => {
      sent.push(message.crm)
      feeds.take(part, message)
    })
    const part = {
      isReady: true,
      tell: (message: ToPart) => (message.crm === 'followed' || message.crm === 'committed') && news.take(message),
    }
    parts.add(part)
    feeds.take(part, { crm: 'ready' })
    news.join(tails)
    return { tails, sent }
  }
  const commit = ({ tails }: ReturnType<typeof start>) => {
    head += 1
    tails.committed(organizationId, types)
  }
  return { start, commit }
}

test('a process that follows a feed hears of the commits of another one; without followers nobody is told', async () => {
  const { start, commit } = aServer()
  const [follows, commits] = [start(), start()]
  commit(commits)
  const follower = follows.tails.follow(organizationId, { after: 1, types, onNews: () => {} })
  commit(commits)
  await expect.poll(() => follower.after(1)?.events.map(({ seq }) => seq)).toEqual([2])
  expect(commits.sent).toEqual(['committed'])
  follower.leave()
  await expect.poll(() => follows.sent).toEqual(['follow', 'follow'])
  commit(commits)
  expect(commits.sent).toEqual(['committed'])
})

test('commits of a moment share a message', async () => {
  const { start, commit } = aServer()
  const [follows, commits] = [start(), start()]
  const follower = follows.tails.follow(organizationId, { after: 0, types, onNews: () => {} })
  for (let count = 0; count < 100; count += 1) commit(commits)
  await expect.poll(() => follower.after(0)?.events.at(-1)?.seq).toBe(100)
  expect(commits.sent).toEqual(['committed'])
  follower.leave()
})
