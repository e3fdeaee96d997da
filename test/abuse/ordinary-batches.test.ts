import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/client.ts'
import { useStage } from './support/stage.ts'

const stage = useStage('30 ordinary batches at once')

const batches = 30
const [items, descriptionLength] = [100, 10_000]
let answers: readonly Answer[]

/** A megabyte of contacts. */
const bodyOf = (batch: number) => ({
  items: Array.from({ length: items }, (_, index) => ({
    externalId: `ordinary-${batch}-${index}`,
    firstName: 'Anna',
    description: 'x'.repeat(descriptionLength),
  })),
})
const keys = Array.from({ length: batches }, () => randomUUID())
const send = (key: string, batch: number) => stage.loud.post('/contacts/batch/upsert', bodyOf(batch), { key })

beforeAll(async () => {
  answers = await Promise.all(keys.map(send))
  const count = (status: number) => answers.filter(answer => answer.status === status).length
  await stage.report('answers', `200: ${count(200)}, 503: ${count(503)}`)
})

test('each batch is carried out, or gets a Retry-After', () => {
  const outcomes = answers.map(({ status, headers }) => [status, Number(headers.get('retry-after')) > 0])
  expect(outcomes.filter(([status, later]) => !(status === 200 || (status === 503 && later === true)))).toEqual([])
})

test('a batch that got a Retry-After had no effect, and succeeds when it is repeated', async () => {
  const outcomes: unknown[] = []
  for (const [batch, key] of keys.entries()) {
    const { items: found } = await stage.loud.get(`/contacts?externalId=ordinary-${batch}-0`)
    const again = await send(key, batch)
    const replayed = again.headers.get('idempotent-replayed') === 'true'
    outcomes.push({ found: found.length === 1, replayed, status: again.status, failed: again.meta.failed })
  }
  const carriedOut = { found: true, replayed: true, status: 200, failed: 0 }
  const toldLater = { found: false, replayed: false, status: 200, failed: 0 }
  expect(outcomes).toEqual(answers.map(({ status }) => (status === 200 ? carriedOut : toldLater)))
})
