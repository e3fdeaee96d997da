import { byDateOrTime, type Field, isDate, isLater, toUtc } from '../../kernel/schema/index.ts'

/** A date or a timestamp, stored and shown in the precision of the request (contract section 6.4). */
export const dueDate: Field<string | null> = {
  column: 'text',
  input: { type: ['string', 'null'], format: 'date-or-date-time' },
  description: 'A date or a timestamp. A bare date is due at the end of that day in the time zone of the organization.',
  example: '2026-03-31',
  initial: null,
  filters: byDateOrTime('due', 'Due'),
  order: { type: 'text', isNullable: true },
  accept(value) {
    if (typeof value !== 'string') return null
    return isDate(value) ? value : toUtc(value)
  },
}

/** Computed and never stored, because it changes as time passes. */
export const isOverdue: Field<null> = {
  output: { '': { type: 'boolean' } },
  description: 'Whether the task is still to do after its due date.',
  initial: null,
  present(_value, { status, dueDate }, { organization, now }) {
    const isClosed = status === 'done' || status === 'canceled'
    return { '': !isClosed && typeof dueDate === 'string' && isLater(now, dueDate, organization.timeZone) }
  },
}
