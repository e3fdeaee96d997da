import { Refusal } from '../../errors/index.ts'
import { externalIdParameter, type QueryDeclaration, searchParameter } from '../../input/index.ts'
import { bounds, limits } from '../../limits/index.ts'
import type { Request } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import type { Services } from '../../services.ts'
import { type Bind, binding, type Row } from '../../sql/index.ts'
import { askedSelection } from '../asked-selection.ts'
import { findFew, rareConditions, withWholeRanges } from '../few-records.ts'
import { selectionParameters } from '../list-parameters.ts'
import type { ListCondition, ListSelection } from '../list-selection.ts'
import { type SelectionWay, selectionStatement } from '../selection-statements.ts'

/** The records that the filters of a request choose, to be counted. */
export interface CountedSelection {
  readonly resource: Resource
  readonly selection: ListSelection
  /** The condition by which an index finds few records, if there is one. */
  readonly few: ListCondition | null
  /** Sends a statement about them: $1 organization, $2 application. `exact` has the time and the connections of a report. */
  ask(way: SelectionWay, textOf: (bind: Bind) => string, exact?: 'exact'): Promise<Row[]>
  /** The milliseconds that the database has taken for the statements so far. */
  spent(): number
}

/** The filters of the list of a kind, without its order and its pages. */
export function filterParameters(resource: Resource): QueryDeclaration {
  const { sort: _, ...filters } = selectionParameters(resource)
  return {
    externalId: externalIdParameter(),
    search: searchParameter(1, limits.contactSearchLength, 'Text in names and titles, or in contact data', 'petrova'),
    ...filters,
  }
}

/** What a request for a count selects. Refuses what the list refuses: 400 for a custom field that does not exist. */
export async function countedSelection(
  resource: Resource,
  request: Request,
  services: Services,
): Promise<CountedSelection | Refusal> {
  const asked = await askedSelection(resource, request, services)
  if (asked instanceof Refusal) return asked
  const selection = { ...asked, conditions: withWholeRanges(asked.conditions) }
  const budget = { milliseconds: bounds.searchAnswer.most }
  const { caller, reader } = request
  const ask: CountedSelection['ask'] = (way, textOf, exact) => {
    const values: unknown[] = [caller.organization.id, caller.keysOf]
    const statement = selectionStatement(resource, way, textOf(binding(values)))
    if (exact !== undefined) return services.database.report(statement, values, reader)
    return services.database.search(statement, values, reader, undefined, budget)
  }
  const few = await findFew(resource, rareConditions(selection), ask)
  return { resource, selection, few, ask, spent: () => bounds.searchAnswer.most - budget.milliseconds }
}
