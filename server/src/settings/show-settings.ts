import { type Nested, readOrganizations, readSettings } from '../kernel/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'
import { customField } from './custom-field-record.ts'
import { idNamed, organizationOf } from './organization-of.ts'
import { organization } from './organization-record.ts'
import { stage } from './stage-record.ts'
import { token } from './token-record.ts'
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

/** Where to look for settings: in one organization, or in one application or pipeline of it. */
export interface SettingsPlace {
  readonly organizationId: string
  readonly parentId?: string | undefined
}

/** The settings of one kind, in the order of the kind and without secrets; a token's `id` is the one that names it. */
export async function listSettings(
  database: Database,
  kind: Nested,
  { organizationId, parentId }: SettingsPlace,
): Promise<readonly JsonObject[]> {
  const records = await readSettings(kind, organizationId, database)
  const here = parentId === undefined ? records : records.filter(record => record[kind.parent.member] === parentId)
  return kind === token ? withUses(here, organizationId, database) : here
}

/**
 * One setting, with the stages of a pipeline or the tokens of an application. `organizationId` is needed for a custom field
 * that is named by its kind and key, as `contact.region`. Throws an `AdministrationError` when there is none.
 */
export async function showSetting(
  database: Database,
  kind: Nested,
  id: string,
  organizationId?: string,
): Promise<JsonObject> {
  const record = await findSetting(database, kind, id, organizationId)
  const place = { organizationId: String(record.organizationId), parentId: String(record.id) }
  const parts = [stage, token].filter(({ parent }) => parent.resource === kind)
  const lists = parts.map(async part => [part.parent.part, await listSettings(database, part, place)] as const)
  return { ...record, ...Object.fromEntries(await Promise.all(lists)) }
}

async function findSetting(database: Database, kind: Nested, id: string, given?: string): Promise<JsonObject> {
  const isKeyed = kind === customField && given !== undefined
  const organizationId = given ?? (await organizationOf(database, kind, id))
  const records = await listSettings(database, kind, { organizationId })
  const named = isKeyed ? id : await idNamed(database, kind, id, organizationId)
  const found = records.find(
    each => each.id === named || (isKeyed && `${String(each.kind)}.${String(each.key)}` === id),
  )
  if (found === undefined) throw noSuch(wordFor(kind), id)
  return { organizationId, ...found }
}
