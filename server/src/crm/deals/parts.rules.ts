import { Decimal } from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'

type Counted = Pick<DealState, 'itemsTotal' | 'itemsCount' | 'activitiesCount' | 'filesCount'>

type Part = Readonly<Record<string, unknown>>

/** One change of an item, an activity or a file of a deal. */
interface PartStep {
  readonly resource: { readonly kind: string }
  readonly before: Part | null
  readonly after: Part | null
}

/** The deal after changes of its items, activities and files: the counts of these, and the sum of its items (contract section 6.7). */
export function reflectParts<State extends Counted>(state: State, steps: readonly PartStep[]): State {
  const items = steps.filter(({ resource }) => resource.kind === 'deal_item')
  const activities = steps.filter(({ resource }) => resource.kind === 'deal_activity')
  const files = steps.filter(({ resource }) => resource.kind === 'deal_file')
  const itemsTotal = items.reduce(
    (sum, { before, after }) => sum.plus(totalOf(after)).minus(totalOf(before)),
    new Decimal(state.itemsTotal),
  )
  return {
    ...state,
    itemsTotal: itemsTotal.toFixed(),
    itemsCount: state.itemsCount + growth(items),
    activitiesCount: state.activitiesCount + growth(activities),
    filesCount: state.filesCount + growth(files),
  }
}

function totalOf(item: Part | null): string {
  return typeof item?.total === 'string' ? item.total : '0'
}

function growth(steps: readonly PartStep[]): number {
  return steps.reduce((sum, { before, after }) => sum + Number(before === null) - Number(after === null), 0)
}
