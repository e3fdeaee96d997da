import type { SecretPlace } from '../encryption/index.ts'
import { columnOf, type Resource } from '../record/index.ts'
import { beforeAllIds } from '../schema/index.ts'
import { type Database, type Statement, statement } from '../sql/index.ts'

/** A stored secret, and the record that owns it. */
export interface StoredSecret {
  readonly stored: string
  readonly place: SecretPlace
}

/** A column in which records of a kind store a secret. */
export interface SecretColumn {
  readonly resource: Resource
  readonly column: string
}

/** The columns of these kinds in which secrets are stored. */
export function secretColumns(resources: readonly Resource[]): SecretColumn[] {
  return resources.flatMap(resource =>
    Object.entries(resource.fields)
      .filter(([, { isSecret }]) => isSecret)
      .map(([name, field]) => ({ resource, column: columnOf(name, field) })),
  )
}

/** Small enough that decrypting a portion takes a few milliseconds. */
const portion = 100

/** The secrets of an organization in a column, in portions; without those that begin with `except`, unless that is null. */
export async function* storedSecrets(
  { resource, column }: SecretColumn,
  organizationId: string,
  database: Database,
  except: string | null = null,
): AsyncGenerator<readonly StoredSecret[]> {
  const select = selectOf(resource, column)
  for (let last = beforeAllIds; ; ) {
    const rows = await database.search(select, [organizationId, except, last, portion])
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows.map(({ id, stored }) => ({
      stored: String(stored),
      place: { organizationId, kind: resource.kind, recordId: String(id) },
    }))
    last = String(end.id)
  }
}

const compiled = new Map<string, Statement>()

function selectOf({ kind, table: { name } }: Resource, column: string): Statement {
  const known = compiled.get(`${kind} ${column}`)
  if (known !== undefined) return known
  const made = statement(
    `select_${kind}_${column}_stored`,
    `select t.id, t.${column} as stored
       from ${name} t
      where t.organization_id = $1 and t.${column} is not null and ($2::text is null or not starts_with(t.${column}, $2))
        and t.id > $3::uuid
      order by t.id limit $4`,
  )
  compiled.set(`${kind} ${column}`, made)
  return made
}
