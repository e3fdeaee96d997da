import { fieldsOf } from '../records/fields.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { isObject, type Json, type JsonObject } from '../records/record.ts'
import { queryOf, type Selection, selectionOf } from './filters.rules.ts'

/** What a saved view keeps: filters, order and columns. */
export interface ViewDefinition {
  readonly selection: Selection
  /** The paths of the columns from the left; empty: those that a list has from the start. */
  readonly columns: readonly string[]
}

/** Whether a kind can show a column. A custom field may be there or not: the list leaves out those that the organization has removed. */
function isColumn(kind: Kind, path: string): boolean {
  return customField.test(path) || fieldsOf[kind].some(field => field.path === path && field.column !== undefined)
}

const customField = /^customFields\.[^.]{1,100}$/u

/** The columns that a list shows before anybody chooses. */
export function initialColumns(kind: Kind): readonly string[] {
  return fieldsOf[kind].filter(({ column }) => column?.shown).map(({ path }) => path)
}

/** A definition as the server keeps it. */
export function storedView({ selection, columns }: ViewDefinition): JsonObject {
  // The server takes no list for a parameter that may come once.
  const filters: Record<string, Json> = Object.fromEntries(
    Object.entries(selection.filters).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
  if (selection.search !== '') filters.search = selection.search
  return {
    filters,
    ...(selection.sort !== '' && { sort: selection.sort }),
    ...(columns.length > 0 && { columns: [...columns] }),
  }
}

/** What the server has kept. What this version of the pages does not know is left out. */
export function viewOf(kind: Kind, stored: Json): ViewDefinition {
  const { filters, sort, columns } = isObject(stored) ? stored : {}
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(isObject(filters) ? filters : {})) {
    for (const value of Array.isArray(values) ? values : [values])
      if (typeof value === 'string') query.append(name, value)
  }
  if (typeof sort === 'string') query.set('sort', sort)
  const chosen = (Array.isArray(columns) ? columns : []).filter(path => typeof path === 'string')
  return {
    selection: selectionOf(kind, kindFacts[kind].orders, query),
    columns: chosen.filter(path => isColumn(kind, path)),
  }
}

/** Whether two selections show the same rows in the same order. */
export function sameSelection(one: Selection, other: Selection): boolean {
  const sorted = (selection: Selection) =>
    [...queryOf(selection)]
      .map(pair => pair.join('='))
      .sort()
      .join('&')
  return sorted(one) === sorted(other)
}
