import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Answer, CallOptions, Client } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import { type ApiRequest, aRecord, plurals, withMembers } from './requests.ts'

export type MergedKind = 'contact' | 'company'
export const mergedKinds: readonly MergedKind[] = ['contact', 'company']

/** Two records of a kind; members of the first and of the second. */
export async function aPair(
  kind: MergedKind,
  organization: TestOrganization,
  primary: JsonObject = {},
  secondary: JsonObject = {},
): Promise<readonly [JsonObject, JsonObject]> {
  const made = [
    { externalId: null, ...primary },
    { externalId: null, ...secondary },
  ]
  const [one, other] = await Promise.all(made.map(members => aRecord(kind, organization, members)))
  return [one ?? {}, other ?? {}]
}

/** What merging the second record into the first would do. */
export function previewMerge(client: Client, kind: MergedKind, [primary, secondary]: readonly JsonObject[]) {
  const body = { primaryId: primary?.id, secondaryId: secondary?.id }
  return client.post(`/${plurals[kind]}/merge/preview`, body)
}

/** Merges the second record into the first; `members` of the body win. */
export function commitMerge(
  client: Client,
  kind: MergedKind,
  [primary, secondary]: readonly JsonObject[],
  members: JsonObject = {},
  options?: CallOptions,
): Promise<Answer> {
  const body = {
    primaryId: primary?.id,
    secondaryId: secondary?.id,
    expectedPrimaryVersion: primary?.version,
    expectedSecondaryVersion: secondary?.version,
    fieldResolutions: {},
    ...members,
  }
  return client.post(`/${plurals[kind]}/merge/commit`, body, options)
}

/** The entry of one field in a preview. */
export function fieldOf({ data }: Answer, name: string): JsonObject | undefined {
  const { fields } = data
  return Array.isArray(fields) ? fields.filter(isObject).find(({ field }) => field === name) : undefined
}

/** A side for each field that a preview wants decided. */
export function resolveAll({ data }: Answer, side: 'primary' | 'secondary'): JsonObject {
  const { requiredResolutions } = data
  const names = Array.isArray(requiredResolutions) ? requiredResolutions.map(String) : []
  return Object.fromEntries(names.map(name => [name, side]))
}

/** The same request as one sends it who may write contact data and not read it: a merge names a side for what is hidden. */
export function unseen(request: ApiRequest): ApiRequest {
  if (request.path !== '/contacts/merge/commit') return request
  return withMembers(request, { fieldResolutions: { 'contactData.birthDate': 'primary' } })
}

/** Gives the organization a field of its own, with the options a and b where it takes several. */
export async function customField(
  given: Given,
  organization: TestOrganization,
  kind: MergedKind,
  key: string,
  type: string,
): Promise<void> {
  await given.configure(
    organization,
    `insert into custom_field_definitions
       (organization_id, kind, key, label, type, options, position, created_at)
     values ($1, $2, $3, $3, $4, $5, 0, now())`,
    [organization.id, kind, key, type, type === 'multiselect' ? options : '[]'],
  )
}

const options = JSON.stringify(['a', 'b'].map(key => ({ key, label: key.toUpperCase() })))
