import { columnOf } from '../../record/index.ts'
import type { Field } from '../../schema/index.ts'
import { type Statement, statement } from '../../sql/index.ts'
import type { Referrer } from '../referrers/index.ts'

/** Whether the holder keeps personal data about the person that it refers to, such as the role in a company. */
export function tellsOfPerson({ holder }: Referrer): boolean {
  return holder.parent !== null && personalFields(holder.fields).length > 0
}

/**
 * Empties the personal fields of nested records that refer to a person; their version stays (contract section 17.22).
 */
export function emptyLinks({ holder, field }: Referrer, id: string): { statement: Statement; values: unknown[] } {
  const { kind, table, fields, references } = holder
  const target = references.find(({ name }) => name === field)?.targetColumn
  const personal = personalFields(fields)
  const emptied = personal.map(
    ([name, each], index) => `${columnOf(name, each)} = $${index + 3}::${each.column ?? 'text'}`,
  )
  const text = `update ${table.name} t set ${emptied.join(', ')}
    where t.organization_id = $1 and t.${target} = $2
  returning 1`
  return {
    statement: statement(`empty_${kind}_by_${field.toLowerCase()}`, text),
    values: [id, ...personal.map(([, { initial }]) => initial)],
  }
}

function personalFields(fields: Readonly<Record<string, Field>>): [string, Field][] {
  return Object.entries(fields).filter(([, { personal, column }]) => personal === true && column !== undefined)
}
