import { request, requestAnswer } from '../api/index.ts'
import type { Values } from '../records/changes.rules.ts'
import type { FieldDefinition } from '../records/field.ts'
import { type Json, nest, type RecordState } from '../records/record.ts'

/** A line of a deal. Amounts are decimal texts in the currency of the deal; the server computes the sums. */
export interface DealItem extends RecordState {
  readonly name: string
  readonly sku: string | null
  readonly unit: string | null
  /** A product of a product set. */
  readonly productId: string | null
  readonly quantity: string
  readonly price: string
  readonly discountType: string
  readonly discount: string
  readonly taxMode: string
  readonly taxRate: string
  readonly position: number
  readonly total: string
}

/** What the form of a line has. */
export const fieldsOfItem: readonly FieldDefinition[] = [
  { path: 'name', widget: 'text', max: 500, required: true },
  { path: 'sku', widget: 'text', max: 100 },
  { path: 'quantity', widget: 'amount', required: true },
  { path: 'unit', widget: 'text', max: 32 },
  { path: 'price', widget: 'amount', required: true },
  { path: 'discount', widget: 'amount' },
  { path: 'discountType', widget: 'choice', required: true, choices: ['percent', 'amount'] },
  { path: 'taxMode', widget: 'choice', required: true, choices: ['none', 'exclusive', 'inclusive'] },
  { path: 'taxRate', widget: 'amount' },
]

/** What a new line begins with. */
export const newItem: Values = new Map<string, Json>([
  ['quantity', '1'],
  ['discountType', 'percent'],
  ['taxMode', 'none'],
])

/** The fields of a form that still have to be filled. */
export function missingFields(values: Values): readonly string[] {
  return fieldsOfItem
    .filter(({ path, required }) => required && String(values.get(path) ?? '').trim() === '')
    .map(({ path }) => path)
}

/** The body of a request: no discount and no tax rate are zero, which the API has for them. */
export function bodyOfItem(values: Values) {
  const zero = (path: string) => path === 'discount' || path === 'taxRate'
  return nest(new Map([...values].map(([path, value]) => [path, value === null && zero(path) ? '0' : value])))
}

/** The place to move a line to; undefined where it stands at that end already. */
export function placeAfterMove(items: readonly { readonly id: string }[], id: string, by: 1 | -1): number | undefined {
  const place = items.findIndex(item => item.id === id) + by
  return place < 0 || place >= items.length ? undefined : place
}

const pageSize = 100

/** All lines of a deal, in their order: 500 at most. */
export async function readItems(organization: string, deal: string, signal?: AbortSignal): Promise<DealItem[]> {
  const items: DealItem[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: pageSize, ...(cursor != null && { cursor }) }
    const page = await requestAnswer<DealItem[]>('GET', pathOfItems(organization, deal), { query, signal })
    items.push(...page.data)
    cursor = page.meta.nextCursor
  } while (cursor != null)
  return items
}

export function pathOfItems(organization: string, deal: string): string {
  return `/o/${organization}/crm/deals/${deal}/items`
}

/** Takes a line away. */
export function removeItem(organization: string, deal: string, { id, version }: DealItem): Promise<unknown> {
  const path = `${pathOfItems(organization, deal)}/${id}`
  return request('DELETE', path, { query: { expectedVersion: version }, key: crypto.randomUUID() })
}

/** Adds a line again that was taken away, at its place. It gets another id. */
export function restoreItem(organization: string, deal: string, item: DealItem, key: string): Promise<unknown> {
  const { name, sku, unit, productId, quantity, price, discountType, discount, taxMode, taxRate, position } = item
  const body = { name, sku, unit, productId, quantity, price, discountType, discount, taxMode, taxRate, position }
  return request('POST', pathOfItems(organization, deal), { body, key })
}

/** Moves a line to a place among the others, from 0. */
export function moveItem(organization: string, deal: string, { id, version }: DealItem, position: number) {
  const body = { expectedVersion: version, position }
  return request('PATCH', `${pathOfItems(organization, deal)}/${id}`, { body, key: crypto.randomUUID() })
}
