import { taggedKinds } from '../../server/src/modules.ts'
import { createTag } from '../../server/src/settings/index.ts'
import type { TestApi } from '../support/api.ts'
import type { TestOrganization } from '../support/organization.ts'

/** New tags for records of every kind. */
export async function tagsOf({ test }: TestApi, { id }: TestOrganization, count: number): Promise<string[]> {
  const tags = Array.from({ length: count }, (_, index) =>
    createTag(test, { organizationId: id, name: `Tag ${index}` }, taggedKinds),
  )
  return (await Promise.all(tags)).map(tag => tag.id)
}
