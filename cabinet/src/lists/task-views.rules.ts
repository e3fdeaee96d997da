import type { Text } from '../words/index.ts'
import { dayOf } from './filters.rules.ts'
import type { ViewDefinition } from './views.rules.ts'

/** A view that every task list has. */
export interface TaskView {
  readonly name: Extract<Text, `Mine, ${string}`>
  readonly shows: ViewDefinition
}

/** The views of what a person has to do: today, before today, and in this week, which begins on Monday. */
export function taskViews(operator: string, now: Date): readonly TaskView[] {
  const view = (name: TaskView['name'], due: Readonly<Record<string, readonly string[]>>): TaskView => {
    const filters = { assigneeUuid: [operator], status: ['todo', 'in_progress'], ...due }
    return { name, shows: { selection: { search: '', filters, sort: 'dueDate' }, columns: [] } }
  }
  const monday = -((now.getDay() + 6) % 7)
  return [
    view('Mine, due today', { dueFrom: [dayAfter(now, 0)], dueTo: [dayAfter(now, 1)] }),
    view('Mine, overdue', { dueTo: [dayAfter(now, 0)] }),
    view('Mine, this week', { dueFrom: [dayAfter(now, monday)], dueTo: [dayAfter(now, monday + 7)] }),
  ]
}

/** The calendar day so many days later, on the clock of this browser. */
function dayAfter(now: Date, days: number): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12).toISOString())
}
