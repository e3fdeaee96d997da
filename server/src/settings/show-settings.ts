import { type Resource, readOrganizations, readSettings } from '../kernel/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'
import { customField } from './custom-field.ts'
import { organization } from './organization.ts'
import { idNamed, organizationOf } from './organization-of.ts'
import { stage } from './pipeline.ts'
import { token } from './token.ts'
import { withUses } from './token-uses.ts'
import { wordFor } from './values.ts'

/** Every organization of the installation, the oldest first. */
export async function listOrganizations(database: Database): Promise<readonly JsonObject[]> {
  return readOrganizations(organization, database)
}

/** One organization. Throws an `AdministrationError` when there is none. */
export async function showOrganization(database: Database, id: string): Promise<JsonObject> {
  const organizationId = await organizationOf(database, organization, id)
  const [record] = await readSettings(organization, organizationId, database)
  if (record === undefined) throw noSuch(wordFor(organization), id)
  return record
}

/** The scope of a list of settings: one organization, or one application or pipeline of it. */
export interface SettingsPlace {
  readonly organizationId: string
  readonly parentId?: string | undefined
}

/** The settings of one kind, in the order of the kind and without secrets; the `id` of a token is the one by which commands refer to it. */
export async function listSettings(
  database: Database,
  kind: Resource,
  { organizationId, parentId }: SettingsPlace,
): Promise<readonly JsonObject[]> {
  const records = await readSettings(kind, organizationId, database)
  const { parent } = kind
  const here =
    parentId === undefined || parent === null ? records : records.filter(each => each[parent.member] === parentId)
  return kind === token ? withUses(here, organizationId, database) : here
}

/** The settings of one kind in all organizations of the installation, each with the id and the name of its organization. */
export async function listEverywhere(database: Database, kind: Resource): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = []
  for (const { id, name } of await listOrganizations(database)) {
    const organizationId = String(id)
    for (const record of await listSettings(database, kind, { organizationId }))
      found.push({ organization: name, ...record, organizationId })
  }
  return found
}

/**
 * One setting, with the stages of a pipeline or the tokens of an application. If the organization is named, by its id or name, a name need
 * only be unique within it, and a custom field may be named by its kind and key, as `contact.region`. Throws an `AdministrationError` if
 * there is none.
 */
export async function showSetting(
  database: Database,
  kind: Resource,
  id: string,
  organizationId?: string,
): Promise<JsonObject> {
  const record = await findSetting(database, kind, id, organizationId)
  const place = { organizationId: String(record.organizationId), parentId: String(record.id) }
  const parts = [stage, token].filter(({ parent }) => parent.resource === kind)
  const lists = parts.map(async part => [part.parent.part, await listSettings(database, part, place)] as const)
  return { ...record, ...Object.fromEntries(await Promise.all(lists)) }
}

async function findSetting(database: Database, kind: Resource, text: string, given?: string): Promise<JsonObject> {
  const organizationId =
    given === undefined ? await organizationOf(database, kind, text) : await idNamed(database, organization, given)
  const records = await listSettings(database, kind, { organizationId })
  const keyed =
    kind === customField ? records.find(({ kind: of, key }) => `${String(of)}.${String(key)}` === text) : undefined
  const id = keyed === undefined ? await idNamed(database, kind, text, organizationId) : keyed.id
  const found = records.find(each => each.id === id)
  if (found === undefined) throw noSuch(wordFor(kind), text)
  return { organizationId, ...found }
}
