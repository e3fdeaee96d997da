import { expect, test } from 'vitest'
import { isCancelable, type ListedJob } from './jobs.ts'

const createdAt = '2026-03-01T10:00:00.000Z'
const soon = new Date('2026-03-08T09:59:59.000Z')
const late = new Date('2026-03-08T10:00:01.000Z')

const job = (more: Partial<ListedJob>): ListedJob => ({
  id: 'a',
  type: 'import',
  status: 'running',
  subject: 'contacts',
  title: 'people.csv',
  done: 0,
  total: 2,
  failed: 0,
  dryRun: false,
  createdAt,
  finishedAt: null,
  application: null,
  startedBy: { name: 'Olga' },
  ...more,
})

test.each([
  ['export', 'queued', false, true],
  ['bulk_job', 'running', false, true],
  ['import', 'canceling', false, false],
  ['import', 'uploaded', false, true],
  ['import', 'ready', false, true],
  ['import', 'completed_with_errors', true, true],
  ['import', 'completed', false, false],
  ['import', 'failed', true, false],
  ['export', 'completed', false, false],
])('a job of the type %s that is %s, with a dry run %s, can be canceled: %s', (type, status, dryRun, expected) => {
  expect(isCancelable(job({ type, status, dryRun }), soon)).toBe(expected)
})

test('a dry run is canceled as long as its file waits: for seven days, and not if an application started it', () => {
  const checked = job({ status: 'completed', dryRun: true })
  expect(isCancelable(checked, soon)).toBe(true)
  expect(isCancelable(checked, late)).toBe(false)
  expect(isCancelable({ ...checked, startedBy: null }, soon)).toBe(false)
})
