import { isUuid } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'

// Whoever administers an installation may name a thing by its id alone. Only these look-ups cross organizations.
const lookUps = {
  application: statement(
    'find_organization_of_application',
    'select a.organization_id from applications a where a.id = $1',
  ),
  operator: statement('find_organization_of_operator', 'select p.organization_id from operators p where p.id = $1'),
  stage: statement('find_organization_of_stage', 'select s.organization_id from stages s where s.id = $1'),
  token: statement('find_organization_of_token', 'select t.organization_id from api_tokens t where t.id = $1'),
}

/** The organization that something with this id belongs to. Throws an `AdministrationError` when there is none. */
export async function organizationOf(database: Database, what: keyof typeof lookUps, id: string): Promise<string> {
  const known = what === 'token' || isUuid(id)
  const [row] = known ? await database.search(lookUps[what], [id]) : []
  if (row === undefined) throw noSuch(what, id)
  return String(row.organization_id)
}
