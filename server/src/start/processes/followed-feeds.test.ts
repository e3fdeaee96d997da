import { expect, test } from 'vitest'
import { FollowedFeeds } from './followed-feeds.ts'
import type { FromPart, ToPart } from './messages.ts'

/** The first process, and processes that note what they are told. */
function aServer() {
  const all: { readonly isReady: boolean; readonly told: ToPart[]; tell(message: ToPart): void }[] = []
  const feeds = new FollowedFeeds(() => all)
  const start = () => {
    const told: ToPart[] = []
    const part = { isReady: true, told, tell: (message: ToPart) => void told.push(message) }
    all.push(part)
    feeds.take(part, { crm: 'ready' })
    return {
      send: (message: FromPart) => feeds.take(part, message),
      end() {
        all.splice(all.indexOf(part), 1)
        feeds.forget(part)
      },
      /** What it was told since the last call. */
      heard: () => told.splice(0),
    }
  }
  return start
}

const follow = (organizationId: string, follows = true): FromPart => ({ crm: 'follow', organizationId, follows })
const followed = (isFollowed: boolean, ...organizationIds: string[]) => ({
  crm: 'followed',
  organizationIds,
  isFollowed,
})
const commitsOf = (organizationId: string) => ({ organizationId, types: ['deal'] })

test('a process learns that others follow a feed, from the first follower until the last one leaves or ends', () => {
  const start = aServer()
  const [a, b, c] = [start(), start(), start()]
  a.send(follow('x'))
  expect([a, b, c].map(part => part.heard())).toEqual([[], [followed(true, 'x')], [followed(true, 'x')]])
  b.send(follow('x'))
  expect([a, b, c].map(part => part.heard())).toEqual([[followed(true, 'x')], [], []])
  a.send(follow('x', false))
  expect([a, b, c].map(part => part.heard())).toEqual([[], [followed(false, 'x')], []])
  b.end()
  expect([a, c].map(part => part.heard())).toEqual([[followed(false, 'x')], [followed(false, 'x')]])
})

test('a process that starts later learns which feeds are followed', () => {
  const start = aServer()
  const a = start()
  a.send(follow('x'))
  a.send(follow('y'))
  expect(start().heard()).toEqual([followed(true, 'x', 'y')])
})

test('only the processes that follow a feed hear of a commit, and not the one that made it', () => {
  const start = aServer()
  const [a, b, c] = [start(), start(), start()]
  for (const part of [a, c]) part.send(follow('x'))
  b.send(follow('y'))
  for (const part of [a, b, c]) part.heard()
  c.send({ crm: 'committed', commits: [commitsOf('x'), commitsOf('y')] })
  expect([a, b, c].map(part => part.heard())).toEqual([
    [{ crm: 'committed', commits: [commitsOf('x')] }],
    [{ crm: 'committed', commits: [commitsOf('y')] }],
    [],
  ])
})
