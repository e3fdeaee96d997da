import { createTag } from '../../server/src/features/administration/index.ts'
import type { TestApi } from '../support/api.ts'
import type { TestOrganization } from '../support/organization.ts'

/** New tags for records of every kind. */
export async function tagsOf({ test }: TestApi, { id }: TestOrganization, count: number): Promise<string[]> {
  const kinds = ['contact', 'company', 'deal', 'task'] as const
  const tags = Array.from({ length: count }, (_, index) =>
    createTag(test.database, { organizationId: id, name: `Tag ${index}`, kinds: [...kinds] }),
  )
  return (await Promise.all(tags)).map(tag => tag.id)
}
