import { expect } from 'vitest'
import type { TestApi } from '../../support/api.ts'
import type { Answer, Client } from '../../support/client.ts'

/** The present end of the feed, as a cursor. */
export async function endOfFeed(client: Client): Promise<string> {
  return String((await client.get('/changes/cursor')).data.cursor)
}

/** Resolves when this many requests wait in the process. */
export async function expectWaiting(api: TestApi, count: number): Promise<void> {
  await expect.poll(() => api.services.admission.usage().processWaits).toBe(count)
}

/** A request that waits at the end of the feed, or after a cursor; resolves when it waits. */
export async function aWait(
  api: TestApi,
  client: Client,
  { query = '', after }: { query?: string; after?: string } = {},
): Promise<{ answer: Promise<Answer> }> {
  const before = api.services.admission.usage().processWaits ?? 0
  const cursor = after ?? (await endOfFeed(client))
  const answer = client.get(`/changes?after=${cursor}&wait=30${query}`)
  await expectWaiting(api, before + 1)
  return { answer }
}

/** Resolves when the tail of an organization has read an event of this kind, which then has reached everybody who waits for it. */
export async function whenTailHas(api: TestApi, organizationId: string, work: () => Promise<unknown>): Promise<void> {
  const [row] = await api.test.database.query(
    { name: '', text: 'select f.seq from organization_feed f where f.organization_id = $1' },
    [organizationId],
  )
  const seq = Number(row?.seq)
  let heard = () => {}
  const news = new Promise<void>(resolve => {
    heard = resolve
  })
  const types = new Set(api.services.resources.map(({ kind }) => kind))
  const follower = api.services.feedTails.follow(organizationId, { after: seq, types, onNews: () => heard() })
  const has = () => (follower.after(seq)?.events.length ?? 0) > 0
  await work()
  if (!has()) await news
  follower.leave()
}
