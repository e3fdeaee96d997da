import { expect, test } from 'vitest'
import { maxConnections } from './installation.ts'

// As docs/operations/limits.md tells operators.
const requests = 10
const jobs = 13
const first = 4
const command = 4
/** What PostgreSQL keeps for superusers. */
const reserved = 3

test.each([2, 16, 64, 128])(
  'the embedded database has room for a server of %i processes, one that is replaced, and commands',
  processes => {
    const server = (processes + 1) * requests + jobs + first
    expect(maxConnections(processes)).toBeGreaterThanOrEqual(server + 2 * command + reserved)
  },
)

test('an embedded database for 64 processes has fewer than 1000 connections', () => {
  expect(maxConnections(64)).toBeLessThan(1000)
})
