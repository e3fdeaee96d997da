import { type JsonObject, newId } from '../../src/kernel/schema/index.ts'
import type { Given } from '../conformance/support/given.ts'
import { aRecord, type Kind, kinds } from '../conformance/support/requests.ts'
import { aTag } from '../conformance/support/tags.ts'
import type { TestOrganization } from '../support/organization.ts'

/** What a request can name of an organization. */
export interface Names {
  readonly ids: Readonly<Record<Kind, string>>
  readonly keys: Readonly<Record<Kind, string>>
  readonly stage: string
  readonly pipeline: string
  readonly reason: string
  readonly operator: string
  readonly tag: string
  readonly tagKey: string
}

const ofEach = (give: (kind: Kind) => string): Readonly<Record<Kind, string>> => ({
  contact: give('contact'),
  company: give('company'),
  deal: give('deal'),
  task: give('task'),
})

export async function namesOf(given: Given, organization: TestOrganization): Promise<Names> {
  const records = new Map<Kind, JsonObject>()
  for (const kind of kinds) records.set(kind, await aRecord(kind, organization))
  return {
    ids: ofEach(kind => String(records.get(kind)?.id)),
    keys: ofEach(kind => String(records.get(kind)?.externalId)),
    stage: organization.stages.second,
    pipeline: organization.pipelineId,
    reason: organization.lostReason,
    operator: organization.operator,
    tag: await aTag(given, organization, { key: 'the-tag-of-another' }),
    tagKey: 'the-tag-of-another',
  }
}

/** Names of the same form that nothing has. */
export const nowhere = (): Names => ({
  ids: ofEach(() => newId()),
  keys: ofEach(kind => `${kind}-${newId()}`),
  ...{ stage: newId(), pipeline: newId(), reason: newId(), operator: newId(), tag: newId(), tagKey: newId() },
})
