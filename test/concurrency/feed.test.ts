import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { objectOf } from '../support/client.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

it('shows readers during concurrent writes every event once, with consecutive numbers', async () => {
  const { client } = await anOrganization(api)
  const start = String((await client.get('/changes/cursor')).data.cursor)
  const writes = 120
  let writing = true
  const seen: number[] = []
  const ids = new Set<unknown>()

  async function read(): Promise<void> {
    let cursor = start
    for (let finished = false; !finished; ) {
      // One more page after the writers have ended sees all of their events.
      finished = !writing
      for (let more = true; more; ) {
        const page = await client.get(`/changes?after=${cursor}&limit=7`)
        const { fromSeq, toSeq, matched, filtered } = objectOf(page.meta.range)
        expect(Number(matched) + Number(filtered)).toBe(Number(toSeq) - Number(fromSeq))
        for (const event of page.items) {
          seen.push(Number(event.seq))
          ids.add(event.resourceId)
        }
        cursor = String(page.meta.nextCursor)
        more = page.meta.hasMore === true
      }
    }
  }

  async function write(): Promise<void> {
    const created = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const made: unknown[] = []
        for (let index = 0; index < writes / 8; index += 1)
          made.push((await client.post('/contacts', aContact())).data.id)
        return made
      }),
    )
    writing = false
    const written = created.flat()
    expect(new Set(written).size).toBe(writes)
  }

  await Promise.all([write(), read()])
  expect(seen).toEqual(Array.from({ length: writes }, (_, index) => index + 1))
  expect(ids.size).toBe(writes)
  expect(api.failures).toEqual([])
})
