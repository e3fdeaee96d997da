import {
  embeddedKind,
  type Nested,
  numberedPlace,
  parentColumn,
  type RecordState,
  toRecord,
} from '../../record/index.ts'
import type { Row } from '../../sql/index.ts'
import { byPosition } from './nested-answer.ts'

/**
 * What a statement whose rows are called `page` adds to read embedded records too, so that both come from one snapshot: the columns, and
 * the join. A record then has one row for each of its embedded records.
 */
export function embeddedParts(nested: Nested): { readonly columns: string; readonly join: string } {
  const kind = embeddedKind(nested)
  if (kind === undefined) return { columns: '', join: '' }
  const { isPlaced } = kind.parent
  const named = isPlaced ? [['position', 'place'] as const] : []
  const columns = [...kind.codec.head, ...kind.codec.stored, ...named].map(
    ([name, column]) => `, inside.${column} as "${prefix}${name}"`,
  )
  const join = `
  left join lateral (
    select e.*${isPlaced ? `, ${numberedPlace('e')} as place` : ''} from ${kind.table.name} e
     where e.organization_id = $1 and e.${parentColumn(kind)} = page.id) inside on true`
  return { columns: columns.join(''), join }
}

const prefix = 'inside.'

/**
 * Reduces such rows to one row for each record, in the same order. Embedded records are added to `inside` under the id of the record that
 * contains them.
 */
export function wholeRows(rows: readonly Row[], inside: Map<string, RecordState[]>): Row[] {
  const whole = new Map<string, Row>()
  for (const row of rows) {
    const id = String(row.id)
    if (!whole.has(id)) whole.set(id, row)
    if (typeof row[`${prefix}id`] !== 'string') continue
    const records = inside.get(id) ?? []
    records.push(toRecord(insideOf(row)))
    inside.set(id, records)
  }
  for (const records of inside.values()) records.sort(byPosition)
  return [...whole.values()]
}

function insideOf(row: Row): Row {
  const entries = Object.entries(row).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]))
}
