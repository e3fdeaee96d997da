import type { Figures, Priced } from '../../server/src/crm/analytics/summary-fields.ts'

type Standing = Figures['standing'][number]
type Closed = Figures['closed'][number]

/** The figures of a summary without any records; the arguments override them. */
export function someFigures(members: Partial<Figures> = {}): Figures {
  return {
    contacts: '0',
    companies: '0',
    tasks: { created: 0, done: 0, overdue: 0 },
    standing: [],
    entered: [],
    left: [],
    closed: [],
    wins: [],
    largest: null,
    previous: [],
    ...members,
  }
}

/** A number of deals whose amounts have this sum; all of them have an amount or, without a sum, none. */
export function priced(
  deals: number,
  amount: string | null = null,
  currency: string | null = 'USD',
): Priced & Pick<Closed, 'priced'> {
  return { deals, amount, currency, priced: amount === null ? 0 : deals }
}

/** Deals that are in a stage at the end of the period. */
export function standing(stage: string, deals: Priced, created = 0): Standing {
  return { stage, created, ...deals }
}

/** Deals that were closed in the period. */
export function closed(
  status: 'won' | 'lost',
  deals: ReturnType<typeof priced>,
  members: Partial<Closed> = {},
): Closed {
  return { status, owner: null, reason: null, ...deals, ...members }
}
