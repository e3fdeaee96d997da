import type { Resource } from '../kernel/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import { type Database, type Statement, statement } from '../kernel/sql/index.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { wordFor } from './values.ts'

const compiled = new Map<string, Statement>()

// The operator of an installation may refer to a setting by its id alone. Only these look-ups cross organizations.
function lookUp({ kind, table, listedWhen = 'true' }: Resource): Statement {
  const known = compiled.get(kind)
  if (known !== undefined) return known
  const text = `select t.organization_id from ${table.name} t where t.id = $1 and ${listedWhen}`
  const made = statement(`find_organization_of_${kind}`, text)
  compiled.set(kind, made)
  return made
}

/** The most settings of one name that an error lists. */
const mostCandidates = 10

/**
 * Resolves an id, or a name that is unique among settings of the kind regardless of case, to the id; within one organization, if one is
 * named. Throws an `AdministrationError` if there is no such setting; if several have the name, the error lists their ids.
 */
export async function idNamed(
  database: Database,
  kind: Resource,
  text: string,
  organizationId: string | null = null,
): Promise<string> {
  if (kind.kind === 'token') return text
  const what = wordFor(kind)
  if (isUuid(text)) {
    const [found] = kind.listedWhen === undefined ? [true] : await database.search(lookUp(kind), [text])
    if (found === undefined) throw noSuch(what, text)
    return text.toLowerCase()
  }
  const rows = kind.fields.name === undefined ? [] : await database.search(named(kind), [text, organizationId])
  const [row, another] = rows
  if (row === undefined) throw noSuch(what, text)
  if (another !== undefined) {
    const listed = rows.slice(0, mostCandidates).map(({ id, owner }) => `${String(id)} (${String(owner)})`)
    const candidates = [...listed, ...(rows.length > mostCandidates ? ['…'] : [])].join(', ')
    throw new AdministrationError(`several ${what}s are named ${text}, use the id of one: ${candidates}`)
  }
  return String(row.id)
}

const namings = new Map<string, Statement>()

/** $1 a name, $2 the organization or null: the ids of the settings with the name, and the names of their organizations. */
function named({ kind, table, listedWhen = 'true' }: Resource): Statement {
  const text = `select t.id, o.name as owner
     from ${table.name} t
     join organizations o on o.organization_id = t.organization_id
    where lower(t.name) = lower($1) and ${listedWhen} and ($2::uuid is null or t.organization_id = $2)
    order by o.name, t.id
    limit ${mostCandidates + 1}`
  const made = namings.get(kind) ?? statement(`find_named_${kind}`, text)
  namings.set(kind, made)
  return made
}

/** A setting to which a command refers by id or name. */
export interface NamedSetting {
  readonly organizationId: string
  readonly id: string
}

/** Resolves an id or a name to the setting and its organization. Throws like `idNamed`. */
export async function settingNamed(database: Database, kind: Resource, text: string): Promise<NamedSetting> {
  const id = await idNamed(database, kind, text)
  return { organizationId: await organizationOf(database, kind, id), id }
}

/**
 * The organization that a setting with this id or name belongs to. Throws an `AdministrationError` if there is none, or if it is ambiguous.
 */
export async function organizationOf(database: Database, kind: Resource, text: string): Promise<string> {
  const id = await idNamed(database, kind, text)
  const [row] = await database.search(lookUp(kind), [id])
  if (row === undefined) throw noSuch(wordFor(kind), text)
  return String(row.organization_id)
}
