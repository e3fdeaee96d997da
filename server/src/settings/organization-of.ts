import type { Resource } from '../kernel/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import { type Database, type Statement, statement } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'
import { token } from './token-record.ts'
import { wordFor } from './values.ts'

const compiled = new Map<string, Statement>()

// Whoever administers an installation may name a thing by its id alone. Only these look-ups cross organizations.
function lookUp({ kind, table }: Resource): Statement {
  const known = compiled.get(kind)
  if (known !== undefined) return known
  const text = `select t.organization_id from ${table.name} t where t.id = $1`
  const made = statement(`find_organization_of_${kind}`, text)
  compiled.set(kind, made)
  return made
}

/** The organization that a setting with this id belongs to. Throws an `AdministrationError` when there is none. */
export async function organizationOf(database: Database, kind: Resource, id: string): Promise<string> {
  const known = kind === token || isUuid(id)
  const [row] = known ? await database.search(lookUp(kind), [id]) : []
  if (row === undefined) throw noSuch(wordFor(kind), id)
  return String(row.organization_id)
}
