import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchPresence } from './presence.ts'
import { request } from './request.ts'

const sent = vi.fn<typeof fetch>()
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', sent)
  sent.mockImplementation(async () => Response.json({ data: {} }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  sent.mockReset()
})

/** What each request says about whether somebody is at the pages. */
const said = () => sent.mock.calls.map(([, options]) => new Headers(options?.headers).get('X-Crm-Unattended'))

test('what is read a minute after the last key or press says that nobody is there, and a write never does', async () => {
  const pages = new EventTarget()
  watchPresence(pages)
  for (const sign of ['keydown', 'pointerdown']) {
    pages.dispatchEvent(new Event(sign))
    vi.advanceTimersByTime(59_000)
    await request('GET', '/session')
    vi.advanceTimersByTime(2_000)
    await request('GET', '/session')
    await request('PATCH', '/account')
  }
  expect(said()).toEqual([null, '1', null, null, '1', null])
})
