import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aPart } from './parts.ts'
import { aRecord, plurals } from './requests.ts'

/** Kinds at which a person notes what was said, beside deals. */
export const partyKinds = ['contact', 'company'] as const
export type PartyKind = (typeof partyKinds)[number]

/** A new activity of a new contact or company: where it is, and where those beside it are. */
export async function anActivityOf(kind: PartyKind, organization: TestOrganization, members: JsonObject = {}) {
  const owner = await aRecord(kind, organization)
  const ownerPath = `/${plurals[kind]}/${owner.id}`
  const collection = `${ownerPath}/activities`
  const { status, data, body } = await organization.client.post(collection, { ...aPart.activities, ...members })
  if (status !== 201) throw new Error(`no activity was added: ${JSON.stringify(body)}`)
  return { owner, ownerPath, collection, path: `${collection}/${data.id}`, record: data }
}
