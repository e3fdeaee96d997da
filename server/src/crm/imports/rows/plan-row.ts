import type { SourceRow } from '../../../kernel/documents/index.ts'
import { splitFullName } from '../fields/full-name.rules.ts'
import { saysLastNameFirst } from '../fields/read-header.ts'
import { matchValuesOf } from './match-values.ts'
import { type PlacedValue, placeValues } from './place-values.ts'
import { readCells, textOfCell } from './read-cells.ts'
import { quoted } from './row-error.ts'
import type { MappedField, PlanContext, RowPlan } from './row-plan.ts'

/** Parses the cells of a row by the mapping. The result does not depend on other records. */
export function planRow(row: SourceRow, context: PlanContext): RowPlan {
  const { mapped, matchBy, country, options, keys } = context
  const fail: RowPlan['fail'] = ({ code, message }, key = null) => {
    const about = mapped.find(({ field }) => field.key === key)
    const text = about === undefined ? undefined : textOfCell(row, about)
    const column = quoted(about?.columnName ?? undefined)
    return { row: row.line, column, field: key, code, message, value: quoted(text), outcome: 'failed' }
  }
  const leavesOut: RowPlan['leavesOut'] = ({ code, field }) => {
    if (field === 'tags' && code === 'invalid_option') return options.missingTag === 'leave_out'
    return options.onInvalidCell === 'leave_out' && field !== null && !keys.has(field)
  }
  const { values, others, errors, leftOut } = readCells(row, context, { fail, leavesOut })
  const nameColumn = mapped.find(({ field }) => field.key === 'fullName')?.columnName ?? ''
  const placed = [...placedValues(mapped, values), ...namesOfRow(values, nameColumn), ...others]
  // The values by which the row finds its record are those that a new record with only these values would have.
  const request = placeValues({}, placed, 'overwrite', country)
  const matches = matchValuesOf({ ...request.input, id: values.get('uuid') }, matchBy, country)
  return { line: row.line, values, placed, request, matches, errors, leftOut, fail, leavesOut }
}

/** The values of the request. The e-mail address of an operator replaces the id where that is missing. */
function placedValues(mapped: readonly MappedField[], values: ReadonlyMap<string, unknown>): PlacedValue[] {
  const placed = mapped.flatMap(({ field: { key, path } }): PlacedValue[] => {
    const isPlaced = path !== null && key !== 'tags' && values.has(key)
    return isPlaced ? [{ key, path, value: values.get(key) }] : []
  })
  const owner = values.get('ownerEmail')
  if (owner === undefined || values.has('ownerUuid')) return placed
  return [...placed, { key: 'ownerEmail', path: ['ownerUuid'], value: owner }]
}

const partsOfNames = ['firstName', 'middleName', 'lastName']

/** The parts of the full name of a row, in a column with this header. There are none if the row has one of these parts in a column of its own. */
function namesOfRow(values: ReadonlyMap<string, unknown>, header: string): PlacedValue[] {
  const fullName = values.get('fullName')
  if (typeof fullName !== 'string' || partsOfNames.some(key => values.has(key))) return []
  const parts = Object.entries(splitFullName(fullName, saysLastNameFirst(header)))
  return parts.flatMap(([name, value]) => (value === null ? [] : [{ key: 'fullName', path: [name], value }]))
}
