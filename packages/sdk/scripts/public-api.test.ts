import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { publicApi } from './public-api.ts'

test('what the SDK exports is as reviewed: `npm run golden` writes docs/api/sdk.txt', () => {
  expect(publicApi()).toBe(readFileSync('docs/api/sdk.txt', 'utf8'))
})
