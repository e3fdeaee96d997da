import { type StageName, stages } from './stages.ts'
import { type Row, readNames, readTable } from './table.ts'

/** The names in the other three files, to which an opportunity may refer. */
export type KnownNames = { agents: Set<string>; products: Set<string>; accounts: Set<string> }

/** The file has its amounts in US dollars. */
export const currency = 'USD'

const mendedProducts = new Map([['GTXPro', 'GTX Pro']])

export function readProducts(text: string): string[] {
  return readNames(readTable('products.csv', text), 'product')
}

export function readOpportunities(text: string, known: KnownNames): Opportunity[] {
  const rows = readTable('sales_pipeline.csv', text)
  readNames(rows, 'opportunity_id')
  return rows.map(row => readOpportunity(row, known))
}

export type Opportunity = ReturnType<typeof readOpportunity>

function readOpportunity(row: Row, known: KnownNames) {
  const product = row.required('product')
  const amount = readAmount(row)
  const opportunity = {
    id: row.required('opportunity_id'),
    agent: row.required('sales_agent'),
    product: mendedProducts.get(product) ?? product,
    // Null if the customer is not known yet.
    account: row.optional('account'),
    stage: readStage(row),
    engageDate: readDate(row, 'engage_date'),
    closeDate: readDate(row, 'close_date'),
    // Zero is a value: a lost opportunity had no revenue.
    amount,
    currency: amount && currency,
  }
  if (!known.agents.has(opportunity.agent)) row.refuse(`sales_agent "${opportunity.agent}" is in no team`)
  if (!known.products.has(opportunity.product)) row.refuse(`product "${opportunity.product}" is unknown`)
  if (opportunity.account !== null && !known.accounts.has(opportunity.account)) {
    row.refuse(`account "${opportunity.account}" is unknown`)
  }
  return opportunity
}

function readStage(row: Row): StageName {
  const name = row.required('deal_stage')
  return stages.find(stage => stage.name === name)?.name ?? row.refuse(`deal_stage "${name}" is unknown`)
}

/** `01-03-2017` is the first of March: 2017-03-01. */
function readDate(row: Row, column: 'engage_date' | 'close_date'): string | null {
  const text = row.optional(column)
  if (text === null) return null
  const [, day, month, year] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(text) ?? row.refuse(`${column} "${text}" is no date`)
  const date = `${year}-${month}-${day}`
  // JavaScript turns 30 February into 1 or 2 March, or into an invalid date: both differ from the text.
  const parsed = new Date(`${date}T00:00:00Z`)
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
  return exists ? date : row.refuse(`${column} "${text}" does not exist`)
}

function readAmount(row: Row): string | null {
  const text = row.optional('close_value')
  if (text === null) return null
  const parts = /^(0|[1-9]\d{0,14})(?:\.(\d{1,2}))?$/.exec(text) ?? row.refuse(`close_value "${text}" is no amount`)
  return `${parts[1]}.${(parts[2] ?? '').padEnd(2, '0')}`
}
