import type { Figures, Priced } from '../../server/src/crm/analytics/summary-fields.ts'

type Standing = Figures['standing'][number]
type Closed = Figures['closed'][number]

/** What a summary is made of when there is nothing to count; the given members win. */
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

/** So many deals that have these amounts together, all of them priced; without an amount none is. */
export function priced(
  deals: number,
  amount: string | null = null,
  currency: string | null = 'USD',
): Priced & Pick<Closed, 'priced'> {
  return { deals, amount, currency, priced: amount === null ? 0 : deals }
}

/** Deals that stand in a stage at the end of the period. */
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
