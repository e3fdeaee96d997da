import { type Caller, expiryOf, holderOf } from '../../auth/index.ts'
import type { Presenting } from '../../operation.ts'
import type { Nested } from '../../record/index.ts'
import type { Projected } from '../../redact/index.ts'
import { isObject } from '../../schema/index.ts'
import { nestedReadScopes } from '../nested/nested-answer.ts'
import { projectNestedRecords } from '../nested/project-nested.ts'

/** How long links to attachments are valid (contract section 6.8). */
const linkSeconds = 3600

/**
 * Attachments as this caller may see them, each with a newly signed link: a stored answer that is replayed later gets links that are valid
 * then, for the caller of the replay. Without `crm_files_read` there are no links (contract section 17.7).
 */
export function projectFiles(
  attachment: Nested,
  data: unknown,
  caller: Caller,
  { clock, files }: Presenting,
): Projected {
  const projected = projectNestedRecords(attachment, data, caller)
  if (!Array.isArray(projected.data) || !attachment.moreScopes.read.every(scope => caller.scopes.has(scope)))
    return projected
  const { organization } = caller
  const scopes = nestedReadScopes(attachment)
  const linked = projected.data.map(record => {
    // A caller who may not read the record gets a receipt.
    if (!isObject(record) || typeof record.id !== 'string' || record.name === undefined) return record
    const { id } = record
    const file = { organizationId: organization.id, id, resourceId: id, holder: holderOf(caller), scopes }
    const { url, expiresInSeconds } = files.links.link(file, {
      seconds: linkSeconds,
      ends: [expiryOf(caller)],
      now: clock.now(),
    })
    return { ...record, url, urlExpiresInSeconds: expiresInSeconds }
  })
  return { ...projected, data: linked }
}
