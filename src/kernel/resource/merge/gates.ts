import { type Refusal, refuse, unprocessable, versionConflict, violates } from '../../errors/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import { refuseBlocked } from '../referrers/index.ts'
import { resolutionsIn, sideOf } from './input.ts'
import type { MergePlan, Pair } from './plan.ts'

/** Gate 13: both versions, the primary's first. */
export function refuseStale({ primary, secondary }: Pair, body: JsonObject): Refusal | null {
  if (body.expectedPrimaryVersion !== primary.version) return versionConflict(primary.version, { side: 'primary' })
  if (body.expectedSecondaryVersion !== secondary.version)
    return versionConflict(secondary.version, { side: 'secondary' })
  return null
}

/** 422: a record cannot be merged with itself (contract section 17.4). */
export function refuseSelf({ primary, secondary }: Pair, body: unknown): Refusal | null {
  if (primary.id !== secondary.id) return null
  const { path } = sideOf(body, 'secondary')
  return violates(path, 'same_record', 'A record cannot be merged with itself')
}

/** Gates 14 and 15, in the order of contract section 8. */
export function refuseUndecided({ primary, secondary }: Pair, plan: MergePlan, body: JsonObject): Refusal | null {
  if (plan.keys.conflict && body.externalIdConflictResolution === undefined) {
    return refuse('external_id_conflict', {
      primaryExternalId: primary.externalId,
      secondaryExternalId: secondary.externalId,
    })
  }
  return refuseResolutions(plan.requiredResolutions, Object.keys(resolutionsIn(body))) ?? refuseBlocked(plan.blockers)
}

function refuseResolutions(required: readonly string[], given: readonly string[]): Refusal | null {
  const missing = required.filter(name => !given.includes(name))
  const unexpected = given.filter(name => !required.includes(name))
  if (missing.length + unexpected.length === 0) return null
  const issue = (name: string, rule: string, message: string) => ({ path: `/fieldResolutions/${name}`, rule, message })
  return unprocessable(
    [
      ...missing.map(name => issue(name, 'required', 'The records differ here: choose a side')),
      ...unexpected.map(name => issue(name, 'unexpected', 'The records do not differ here: preview them again')),
    ],
    {
      ...(missing.length === 0 ? {} : { missingResolutions: missing }),
      ...(unexpected.length === 0 ? {} : { unexpectedResolutions: unexpected }),
    },
  )
}
