import { toRecord } from '../../record/codec.ts'
import type { Nested } from '../../record/define-nested.ts'
import { numberedPlace, parentColumn } from '../../record/nested-statements.ts'
import type { RecordState } from '../../record/resource.ts'
import type { Row } from '../../sql/index.ts'
import { byPosition } from './nested-answer.ts'

/**
 * What a statement whose rows are called `page` takes along of the records that are embedded in its own, so that both
 * are of one moment: further columns, and the join that they come from. A record then has a row for each of them.
 */
export function embeddedParts({ embedded }: Nested): { readonly columns: string; readonly join: string } {
  if (embedded === undefined) return { columns: '', join: '' }
  const kind = embedded.kind()
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
 * One row for each record, of the rows of a statement that takes embedded records along, in the same order; what is
 * embedded in the record is put into `inside` under its id.
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
