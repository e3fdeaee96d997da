import { describe, expect, it } from 'vitest'
import { organizationSettings, refused } from '../../../../test/support/decisions.ts'
import { Refusal } from '../../kernel/schema/index.ts'
import { taskRules } from './task.rules.ts'

const organization = organizationSettings({ timeZone: 'America/New_York' })

type Task = Parameters<typeof taskRules.settle>[0]

const todo: Task = { status: 'todo', startAt: null, dueDate: null, completedAt: null }
const now = '2026-03-02T10:00:00.000Z'
const earlier = '2026-02-01T10:00:00.000Z'

function settle(next: Task, previous: Task | null = null, timeZone = organization.timeZone) {
  const configuration = { organization: { ...organization, timeZone } }
  return taskRules.settle(next, { previous, write: { configuration, now } })
}

describe('completedAt', () => {
  const done: Task = { ...todo, status: 'done', completedAt: earlier }

  it('is set by done, on create and from every other status', () => {
    expect(settle({ ...todo, status: 'done' })).toMatchObject({ completedAt: now })
    for (const status of ['todo', 'in_progress', 'canceled'] as const) {
      expect(settle({ ...todo, status: 'done' }, { ...todo, status })).toMatchObject({ completedAt: now })
    }
  })

  it('stays while the task is done', () => {
    expect(settle(done, done)).toMatchObject({ completedAt: earlier })
  })

  it('is cleared by every other status', () => {
    for (const status of ['todo', 'in_progress', 'canceled'] as const) {
      expect(settle({ ...done, status }, done)).toMatchObject({ status, completedAt: null })
    }
  })
})

describe('a start after the due date', () => {
  const isRefused = (startAt: string | null, dueDate: string | null, timeZone?: string) =>
    settle({ ...todo, startAt, dueDate }, null, timeZone) instanceof Refusal

  it('is refused, naming startAt', () => {
    const refusal = settle({ ...todo, startAt: '2026-05-01T10:00:00.001Z', dueDate: '2026-05-01T10:00:00.000Z' })
    expect(refused(refusal)).toEqual([422, 'validation_error', '/startAt order'])
  })

  it('is one that comes after a moment, not at it', () => {
    expect(isRefused('2026-05-01T10:00:00.000Z', '2026-05-01T10:00:00.000Z')).toBe(false)
    expect(isRefused('2026-05-01T10:00:00.001Z', '2026-05-01T10:00:00.000Z')).toBe(true)
  })

  it('is one that comes after the end of a day in the time zone of the organization', () => {
    expect(isRefused('2026-05-02T03:59:59.999Z', '2026-05-01')).toBe(false)
    expect(isRefused('2026-05-02T04:00:00.000Z', '2026-05-01')).toBe(true)
    expect(isRefused('2026-05-02T03:59:59.999Z', '2026-05-01', 'UTC')).toBe(true)
    expect(isRefused('2026-05-01T15:00:00.000Z', '2026-05-01', 'Asia/Tokyo')).toBe(true)
  })

  it('needs both', () => {
    expect(isRefused('2026-05-02T10:00:00.000Z', null)).toBe(false)
    expect(isRefused(null, '2026-05-01')).toBe(false)
  })

  it('may stay when the organization has moved to another time zone', () => {
    const stored: Task = { ...todo, startAt: '2026-05-02T03:00:00.000Z', dueDate: '2026-05-01' }
    expect(settle({ ...stored, status: 'in_progress' }, stored, 'UTC')).toMatchObject({ status: 'in_progress' })
    expect(settle({ ...stored, dueDate: '2026-04-30' }, stored, 'UTC')).toBeInstanceOf(Refusal)
    expect(settle({ ...stored, startAt: '2026-05-02T04:00:00.000Z' }, stored, 'UTC')).toBeInstanceOf(Refusal)
  })
})
