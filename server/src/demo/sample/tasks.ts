import type { JsonObject } from '../../kernel/schema/index.ts'
import type { DemoConfiguration } from '../configure-demo.ts'
import { companyKey, companyNames } from './companies.ts'
import { contactKey } from './contacts.ts'
import { dealKey } from './deals.ts'
import { pick } from './pick.ts'

const count = 24

const subjects = [
  { type: 'call', title: 'Call about the offer' },
  { type: 'email', title: 'Send the drawings' },
  { type: 'meeting', title: 'Visit the site' },
  { type: 'todo', title: 'Check the delivery dates' },
  { type: 'other', title: 'Order samples' },
] as const

/** Task `n` refers to deal `n`, its company and one of the contacts. */
export function sampleTasks({ operatorUuids }: DemoConfiguration): JsonObject[] {
  return Array.from({ length: count }, (_, position) => {
    const { type, title } = pick(subjects, position)
    const employer = position % companyNames.length
    return {
      externalId: `demo-task-${position + 1}`,
      title: `${title}: ${pick(companyNames, employer).name}`,
      type,
      status: pick(['todo', 'in_progress', 'todo', 'done', 'todo', 'done', 'canceled'], position),
      priority: pick(['medium', 'high', 'low', 'medium', 'urgent'], position),
      assigneeUuid: pick(operatorUuids, position),
      dueDate: dueDate(position),
      deal: { externalId: dealKey(position) },
      contact: { externalId: contactKey(employer) },
      company: { externalId: companyKey(employer) },
    }
  })
}

/** Some tasks are due at a time of day, most on a date. */
function dueDate(position: number): string {
  const day = `2026-${String((position % 12) + 1).padStart(2, '0')}-${String(((position * 5) % 28) + 1).padStart(2, '0')}`
  return position % 4 === 0 ? `${day}T15:00:00Z` : day
}
