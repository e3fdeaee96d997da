import { columnOf } from '../../record/codec.ts'
import type { Field } from '../../schema/index.ts'
import { type Statement, statement } from '../../sql/index.ts'
import type { Referrer } from '../referrers/index.ts'

/** Whether those that refer say something of the person, such as a role: it is not theirs alone. */
export function tellsOfPerson({ holder }: Referrer): boolean {
  return holder.parent !== null && personalFields(holder.fields).length > 0
}

/** Empties what nested records say of a person that they refer to; their version stays (contract section 17.22). */
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
