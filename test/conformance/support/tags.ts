import { newId } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import { kinds } from './requests.ts'

interface TagFacts {
  readonly name?: string
  readonly kinds?: readonly string[]
  /** The key that the organization's first application has for it. */
  readonly key?: string
}

/** A tag of the organization, as a command would make it; resolves to its id. */
export async function aTag(given: Given, organization: TestOrganization, facts: TagFacts = {}): Promise<string> {
  const id = newId()
  const { name = `Tag ${id}`, key } = facts
  await given.configure(
    organization,
    `insert into tags (organization_id, id, name, color, kinds, created_at)
     values ($1, $2, $3, '#2F80ED', $4, '2026-01-01T00:00:00Z')`,
    [organization.id, id, name, facts.kinds ?? kinds],
  )
  if (key !== undefined) await setTagKey(given, organization, id, key)
  return id
}

/** Gives a tag the name by which the organization's first application knows it. */
async function setTagKey(given: Given, { id, applicationId }: TestOrganization, tag: string, key: string) {
  await given.sql(
    `insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
     values ($1, $2, 'tag', false, $3, $4, now())`,
    [id, applicationId, key, tag],
  )
}

/** What is left of a key of the first application when its tag was removed. */
export async function aRemovedTagKey(given: Given, { id, applicationId }: TestOrganization): Promise<string> {
  const key = `removed-${newId()}`
  await given.sql(
    `insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, reason, changed_at)
     values ($1, $2, 'tag', true, $3, $4, 'deleted', now())`,
    [id, applicationId, given.api.services.secret.goneKey(key), newId()],
  )
  return key
}
