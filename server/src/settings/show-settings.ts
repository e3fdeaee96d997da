import { type Resource, readOrganizations, readSettings } from '../kernel/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'
import { application } from './application.ts'
import { customField } from './custom-field.ts'
import { organization } from './organization.ts'
import { idNamed, organizationOf } from './organization-of.ts'
import { stage } from './pipeline.ts'
import { token } from './token.ts'
import { wordFor } from './values.ts'
import { webhook } from './webhooks/webhook.ts'

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
 * One setting, with the stages of a pipeline, or the tokens and webhooks of an application. If the organization is named, by its id or name, a name need
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
  const parts = [stage, token, webhook].filter(({ parent }) => parent.resource === kind)
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

const selectUses = statement(
  'select_token_uses',
  `select t.record_id, t.last_used_at, t.last_used_ip, t.last_refused_at, t.last_refused_ip, t.last_refused_reason
     from api_tokens t
    where t.organization_id = $1`,
)

/**
 * Tokens with the name of their application, the time and address of their last use and of their last refusal, and the reason of the
 * refusal.
 */
async function withUses(
  tokens: readonly JsonObject[],
  organizationId: string,
  database: Database,
): Promise<readonly JsonObject[]> {
  const [rows, applications] = await Promise.all([
    database.search(selectUses, [organizationId]),
    readSettings(application, organizationId, database),
  ])
  const uses = new Map(rows.map(row => [row.record_id, row]))
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return tokens.map(({ id: recordId, tokenId, ...token }) => {
    const use = uses.get(String(recordId))
    return {
      id: tokenId,
      recordId,
      ...token,
      application: names.get(token.applicationId) ?? null,
      lastUsedAt: use?.last_used_at ?? null,
      lastUsedIp: use?.last_used_ip ?? null,
      lastRefusedAt: use?.last_refused_at ?? null,
      lastRefusedIp: use?.last_refused_ip ?? null,
      lastRefusedReason: use?.last_refused_reason ?? null,
    }
  })
}
