import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database, Statement } from '../sql/index.ts'
import { beat, freeLocks } from './heartbeat.sql.ts'
import { Heartbeat } from './heartbeat.ts'

/** A database that takes note of what it is asked, and answers as long as it is there. */
class Asked {
  readonly statements: string[] = []
  known = true
  isThere = true

  query: Database['query'] = async ({ name }: Statement) => {
    this.statements.push(name)
    if (!this.isThere) throw new Error('away')
    return JSON.parse(name === beat.name ? `[{"known": ${this.known}}]` : '[{"jobs": 0, "queues": 0}]')
  }
}

let asked: Asked
let heartbeat: Heartbeat
let failures: unknown[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  asked = new Asked()
  failures = []
  heartbeat = new Heartbeat({
    database: asked,
    version: 'test',
    onFailure: error => failures.push(error),
    onFreed: () => {},
  })
})
afterEach(async () => {
  await heartbeat.stop()
  vi.useRealTimers()
})

describe('a heartbeat', () => {
  it('beats three times in the time in which others wait for it, and looks for silent workers each time', async () => {
    heartbeat.start('pool-1')
    await vi.advanceTimersByTimeAsync(30_000)
    expect(asked.statements.filter(name => name === beat.name)).toHaveLength(4)
    expect(asked.statements.filter(name => name === freeLocks.name)).toHaveLength(4)
    expect(heartbeat.alive.aborted).toBe(false)
  })

  it('ends its jobs before others take them, when the database has been away for long', async () => {
    heartbeat.start('pool-1')
    await vi.advanceTimersByTimeAsync(0)
    const { alive } = heartbeat
    asked.isThere = false
    await vi.advanceTimersByTimeAsync(24_000)
    expect(alive.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([alive.aborted, heartbeat.alive.aborted]).toEqual([true, false])
    expect(failures).toHaveLength(2)
    asked.isThere = true
  })

  it('ends its jobs when it was taken for dead, and not when it begins', async () => {
    asked.known = false
    const before = heartbeat.alive
    heartbeat.start('pool-1')
    await vi.advanceTimersByTimeAsync(0)
    expect(before.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(before.aborted).toBe(true)
  })
})
