import { expect, test } from 'vitest'
import { Failure } from '../api/failure.ts'
import { underOneKey } from './under-one-key.ts'

test('a request is sent under one key until it is answered, and under another after a refusal', async () => {
  const answers = [0, 503, 409, 200]
  const keys: string[] = []
  const send = underOneKey(async key => {
    keys.push(key)
    const status = answers.shift() ?? 200
    if (status !== 200) throw new Failure('code', status, 'message', {}, null)
    return status
  })
  for (const status of [0, 503, 409]) await expect(send()).rejects.toMatchObject({ status })
  expect(await send()).toBe(200)
  expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 2])
})
