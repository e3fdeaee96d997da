import type { Directories } from './directories.ts'
import type { Opportunity } from './opportunities.ts'
import { stages } from './stages.ts'

/** The number of deals and the sums of their amounts by currency, for each stage and in all. */
export type Totals = Map<string, { deals: number; amounts: Map<string, bigint> }>

/** What counts of a deal in the CRM. */
type CountedDeal = { pipelineId: string; stageUuid: string; amount?: string | null; currency: string | null }

const otherStages = 'Other stages'
const allStages = 'All'
const rowNames = [...stages.map(({ name }) => name), otherStages, allStages]
/** Amounts are added exactly, as integers of so many decimals. */
const decimals = 4

export function totalsOfFile(opportunities: readonly Opportunity[]): Totals {
  const totals: Totals = new Map()
  for (const { stage, amount, currency } of opportunities) add(totals, stage, amount, currency)
  return totals
}

/** Counts the deals of the pipeline among all deals. */
export async function totalsOfCrm(
  deals: AsyncIterable<CountedDeal>,
  { pipelineId, stageUuids }: Pick<Directories, 'pipelineId' | 'stageUuids'>,
): Promise<Totals> {
  const names = new Map([...stageUuids].map(([name, uuid]) => [uuid, name]))
  const totals: Totals = new Map()
  for await (const deal of deals) {
    if (deal.pipelineId !== pipelineId) continue
    add(totals, names.get(deal.stageUuid) ?? otherStages, deal.amount ?? null, deal.currency)
  }
  return totals
}

/** Equal totals give equal lines. */
export function describeTotals(totals: Totals): string[] {
  return rowNames.flatMap(name => {
    const total = totals.get(name)
    if (!total) return []
    const currencies = [...total.amounts].sort(([left], [right]) => (left < right ? -1 : 1))
    const amounts = currencies.map(([currency, amount]) => `${format(amount)} ${currency}`)
    return `${name.padEnd(14)}${total.deals.toLocaleString('en-US').padStart(7)}   ${amounts.join(', ') || 'no amounts'}`
  })
}

function add(totals: Totals, stage: string, amount: string | null, currency: string | null) {
  for (const name of [stage, allStages]) {
    const total = totals.get(name) ?? { deals: 0, amounts: new Map<string, bigint>() }
    total.deals += 1
    if (amount !== null && currency !== null) {
      const [whole = '', fraction = ''] = amount.split('.')
      const units = BigInt(whole + fraction.padEnd(decimals, '0'))
      total.amounts.set(currency, (total.amounts.get(currency) ?? 0n) + units)
    }
    totals.set(name, total)
  }
}

function format(amount: bigint): string {
  const unit = 10n ** BigInt(decimals)
  const fraction = String(amount % unit).padStart(decimals, '0')
  return `${(amount / unit).toLocaleString('en-US')}.${fraction.replace(/00$/, '')}`
}
