import type { Client } from './client.ts'
import type { Directories } from './directories.ts'
import { listOf, memberOf, optionalTextOf, textOf } from './json.ts'
import type { Opportunity } from './opportunities.ts'
import { formatCount } from './progress.ts'
import { stages } from './stages.ts'

/** The number of deals and the sums of their amounts by currency, for each stage and in all. */
export type Totals = Map<string, { deals: number; amounts: Map<string, string> }>

const otherStages = 'Other stages'
const allStages = 'All'
const rowNames = [...stages.map(({ name }) => name), otherStages, allStages]

export function totalsOfFile(opportunities: Opportunity[], currency: string): Totals {
  const totals: Totals = new Map()
  for (const { stage, amount } of opportunities) add(totals, stage, amount, currency)
  return totals
}

/** Reads every deal of the organization, page by page, and counts those of the pipeline. */
export async function totalsOfPipeline(
  client: Pick<Client, 'get'>,
  { pipelineId, stageUuids }: Directories,
  pageSize: number,
): Promise<Totals> {
  const names = new Map([...stageUuids].map(([name, uuid]) => [uuid, name]))
  const totals: Totals = new Map()
  let cursor: string | null = null
  do {
    const position: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await client.get(`/deals?limit=${pageSize}${position}`)
    for (const deal of listOf(page, 'data')) {
      if (memberOf(deal, 'pipelineId') !== pipelineId) continue
      const stage = names.get(textOf(deal, 'stageUuid')) ?? otherStages
      add(totals, stage, optionalTextOf(deal, 'amount'), optionalTextOf(deal, 'currency'))
    }
    cursor = optionalTextOf(page.meta, 'nextCursor')
  } while (cursor !== null)
  return totals
}

/** Equal totals give equal lines. */
export function describeTotals(totals: Totals): string[] {
  return rowNames.flatMap(name => {
    const total = totals.get(name)
    if (!total) return []
    const currencies = [...total.amounts].sort(([left], [right]) => (left < right ? -1 : 1))
    const amounts = currencies.map(([currency, amount]) => `${formatAmount(amount)} ${currency}`)
    return `${name.padEnd(14)}${formatCount(total.deals).padStart(7)}   ${amounts.join(', ') || 'no amounts'}`
  })
}

/** Adds decimal strings exactly, as integers in the smallest unit of either. */
export function addAmounts(left: string, right: string): string {
  const digits = Math.max(fractionOf(left).length, fractionOf(right).length)
  const units = unitsOf(left, digits) + unitsOf(right, digits)
  const text = units.toString().padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function add(totals: Totals, stage: string, amount: string | null, currency: string | null) {
  for (const name of [stage, allStages]) {
    const total = totals.get(name) ?? { deals: 0, amounts: new Map<string, string>() }
    total.deals += 1
    if (amount !== null && currency !== null) {
      total.amounts.set(currency, addAmounts(total.amounts.get(currency) ?? '0', amount))
    }
    totals.set(name, total)
  }
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? ''
}

function unitsOf(amount: string, digits: number): bigint {
  const [whole = ''] = amount.split('.')
  return BigInt(whole + fractionOf(amount).padEnd(digits, '0'))
}

function formatAmount(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}
