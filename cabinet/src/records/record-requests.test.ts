import { afterEach, expect, test, vi } from 'vitest'
import { findRecords } from './record-requests.ts'

afterEach(() => vi.unstubAllGlobals())

test('records that the server had no time for are told apart from those that are gone', async () => {
  const error = (code: string, details = {}) => ({ error: { code, message: code, details } })
  const answers = new Map([
    ['here', Response.json({ data: { id: 'here', version: 3 } })],
    ['gone', Response.json(error('gone'), { status: 410 })],
    ['late', Response.json(error('rate_limit_exceeded', { retryAt: '2026-03-02T10:00:30Z' }), { status: 429 })],
  ])
  vi.stubGlobal('fetch', (path: string) => {
    const answer = answers.get(path.split('/').at(-1) ?? '')
    return answer === undefined ? Promise.reject(new TypeError('no network')) : Promise.resolve(answer)
  })
  expect(await findRecords('a', 'deals', ['here', 'gone', 'late', 'lost'])).toEqual({
    records: [{ id: 'here', version: 3 }],
    unread: ['late', 'lost'],
    retryAt: new Date('2026-03-02T10:00:30Z'),
  })
})
