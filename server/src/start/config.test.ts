import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  [{}, true],
  [{ API_CORS: 'on' }, true],
  [{ API_CORS: 'off' }, false],
])('pages of other origins may call the API unless API_CORS is off: %o', (environment, crossOrigin) => {
  expect(readConfig(environment).crossOrigin).toBe(crossOrigin)
})

test.each([
  [{}, true],
  [{ CABINET: 'off' }, false],
])('the server has pages unless CABINET is off: %o', (environment, cabinet) => {
  expect(readConfig(environment).cabinet).toBe(cabinet)
})
