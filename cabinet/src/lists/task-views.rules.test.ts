import { expect, test } from 'vitest'
import { taskViews } from './task-views.rules.ts'

const daysOf = (now: Date) =>
  taskViews('olga', now).map(({ shows }) => {
    const { dueFrom, dueTo } = shows.selection.filters
    return [dueFrom?.[0], dueTo?.[0]]
  })

test('the views of tasks end where the day and the week end, also at the end of a month and on a Sunday', () => {
  expect(daysOf(new Date(2026, 2, 31, 23, 30))).toEqual([
    ['2026-03-31', '2026-04-01'],
    [undefined, '2026-03-31'],
    ['2026-03-30', '2026-04-06'],
  ])
  expect(daysOf(new Date(2026, 3, 5, 0, 10))[2]).toEqual(['2026-03-30', '2026-04-06'])
  expect(daysOf(new Date(2026, 2, 30, 9, 0))[2]).toEqual(['2026-03-30', '2026-04-06'])
})

test('the views of tasks show what the person has still to do, the most urgent first', () => {
  for (const { shows } of taskViews('olga', new Date(2026, 2, 31)))
    expect(shows.selection).toMatchObject({
      filters: { assigneeUuid: ['olga'], status: ['todo', 'in_progress'] },
      sort: 'dueDate',
    })
})
