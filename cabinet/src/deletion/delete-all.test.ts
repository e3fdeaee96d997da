import { expect, test } from 'vitest'
import { Failure } from '../api/failure.ts'
import { deleteAll } from './delete-all.ts'

const failure = (status: number, code: string) => new Failure(code, status, code, {}, null)
const records = ['a', 'b', 'c'].map(id => ({ id, version: 1 }))

/** Deletes the records; `answers` says with what each try of one fails. */
async function run(answers: Readonly<Record<string, readonly (Failure | null)[]>>, giveUpAt?: string) {
  const tries = new Map(Object.entries(answers).map(([id, list]) => [id, [...list]]))
  const asked: { id: string; key: string }[] = []
  const deleted: string[] = []
  const refused: string[] = []
  const waiting: string[] = []
  const giveUp = new AbortController()
  const done = deleteAll(records, {
    async remove({ id }, key) {
      asked.push({ id, key })
      if (id === giveUpAt) giveUp.abort()
      const next = tries.get(id)?.shift() ?? null
      if (next !== null) throw next
    },
    pause: async () => {},
    signal: giveUp.signal,
    onWaiting: failure => waiting.push(failure?.code ?? 'goes on'),
    onDeleted: ({ id }) => deleted.push(id),
    onRefused: ({ record, failure: { code } }) => refused.push(`${record.id} ${code}`),
  })
  const thrown = await done.then(
    () => null,
    (error: unknown) => error,
  )
  return { asked, deleted, refused, waiting, thrown }
}

test('a record that is refused does not hold the others', async () => {
  const { deleted, refused } = await run({ b: [failure(409, 'version_conflict')] })
  expect([deleted, refused]).toEqual([['a', 'c'], ['b version_conflict']])
})

test('what the server cannot answer is asked again with the same key, and is said meanwhile', async () => {
  const { asked, deleted, waiting } = await run({ b: [failure(0, 'unreachable'), failure(429, 'rate_limit_exceeded')] })
  const keys = asked.filter(({ id }) => id === 'b').map(({ key }) => key)
  expect(deleted).toEqual(['a', 'b', 'c'])
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  expect(waiting).toEqual(['goes on', 'unreachable', 'rate_limit_exceeded', 'goes on', 'goes on'])
})

test('a record that others have deleted counts as deleted', async () => {
  const { deleted, refused } = await run({ a: [failure(404, 'not_found')], c: [failure(410, 'resource_deleted')] })
  expect([deleted, refused]).toEqual([['a', 'b', 'c'], []])
})

test.for([
  [403, 'fresh_sign_in_required'],
  [401, 'not_signed_in'],
] as const)('%i %s ends it before the others are asked', async ([status, code]) => {
  const { asked, deleted, thrown } = await run({ b: [failure(status, code)] })
  expect([asked.map(({ id }) => id), deleted]).toEqual([['a', 'b'], ['a']])
  expect(thrown).toMatchObject({ code })
})

test('it ends when it is given up', async () => {
  const { asked } = await run({}, 'b')
  expect(asked.map(({ id }) => id)).toEqual(['a', 'b'])
})
