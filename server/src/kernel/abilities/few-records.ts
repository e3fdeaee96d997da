import { bounds } from '../limits/index.ts'
import type { Resource } from '../record/index.ts'
import type { Bind, Row } from '../sql/index.ts'
import { expectedRows } from './expected-rows.ts'
import type { ListCondition, ListSelection } from './list-selection.ts'
import { countText, estimateText, type SelectionWay } from './selection-statements.ts'

/** Sends one statement about a selection, and resolves to its rows. */
export type AskOfSelection = (way: SelectionWay, textOf: (bind: Bind) => string) => Promise<Row[]>

/** Conditions with a smaller frequency are rare, whatever PostgreSQL expects: addresses and keys. */
const alwaysRare = 2

/** The first of these conditions that at most `bounds.listScatteredScan` records meet; null if more records meet each of them. */
export async function findFew(
  resource: Resource,
  conditions: readonly ListCondition[],
  ask: AskOfSelection,
): Promise<ListCondition | null> {
  for (const condition of conditions) {
    if ((condition.frequency ?? 0) >= alwaysRare && !(await mayBeFew(resource, condition, ask))) continue
    const most = bounds.listScatteredScan.most + 1
    const [row] = await ask('count', bind => countText(resource, condition, most, bind))
    if (Number(row?.found) < most) return condition
  }
  return null
}

/**
 * Whether PostgreSQL expects few records to meet the condition, or does not say. To count them is exact, but where many meet it, some
 * indexes list all before the first.
 */
async function mayBeFew(resource: Resource, condition: ListCondition, ask: AskOfSelection): Promise<boolean> {
  const [row] = await ask('estimate', bind => estimateText(resource, condition, bind))
  const expected = expectedRows(row?.['QUERY PLAN'])
  return expected === null || expected < 2 * bounds.listScatteredScan.most
}

/** The same conditions, with both ends of a range as one. */
export function withWholeRanges(conditions: readonly ListCondition[]): ListCondition[] {
  const ranges = new Map<string, ListCondition[]>()
  for (const each of conditions) {
    if (each.limits !== undefined) ranges.set(each.limits, [...(ranges.get(each.limits) ?? []), each])
  }
  const whole = [...ranges.values()].flatMap(ends => {
    const [first, ...others] = ends
    return first === undefined || others.length === 0
      ? ends
      : [{ ...first, text: (bind: Bind) => ends.map(each => each.text(bind)).join(' and ') }]
  })
  return [...conditions.filter(({ limits }) => limits === undefined), ...whole]
}

/** The most conditions that are counted for one request. */
const mostCounted = 2

/** The conditions that have an index of their own, besides the index of the order. The rarest condition comes first. */
export function rareConditions({ conditions, order }: ListSelection): ListCondition[] {
  return conditions
    .filter(({ frequency, limits }) => frequency !== undefined && limits !== order.value)
    .toSorted((one, other) => (one.frequency ?? 0) - (other.frequency ?? 0))
    .slice(0, mostCounted)
}
