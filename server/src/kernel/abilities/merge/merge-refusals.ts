import { type Caller, refuseMissingScopes } from '../../auth/index.ts'
import { type Refusal, refuse, unprocessable, versionConflict, violates } from '../../errors/index.ts'
import type { OwnRefusal } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import { refuseBlocked } from '../referrers/index.ts'
import { resolutionsIn, sideOf } from './merge-input.ts'
import type { MergePlan, Pair } from './merge-plan.ts'
import {
  choosable,
  hiddenBlockers,
  neededScopes,
  requiredResolutions,
  toldBlockers,
  toldParts,
} from './visible-parts.ts'

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

/** The refusal in the OpenAPI document. */
export function refusalOfSelf({ kind }: Resource): OwnRefusal {
  return ['unprocessable', `Both are the same ${kind}.`]
}

/** Gate 14: both records have a key of the application, and the request does not say which one stays. */
export function refuseKeyConflict({ primary, secondary }: Pair, plan: MergePlan, body: JsonObject): Refusal | null {
  if (!plan.keys.conflict || body.externalIdConflictResolution !== undefined) return null
  return refuse('external_id_conflict', {
    primaryExternalId: primary.externalId,
    secondaryExternalId: secondary.externalId,
  })
}

/**
 * What the plan requires of token and request, in the order of contract section 8: write scopes, choices, and then what forbids the merge
 * (gate 15).
 *
 * These scopes depend on stored values, so they are checked here and not at gate 8. About a field that the token may write but not read,
 * the refusal is the same whatever the values are (see `toldParts`). About a field that it may neither read nor write, the refusal says
 * only that the merge would change it.
 */
export function refuseUndecided(
  resource: Resource,
  plan: MergePlan,
  body: JsonObject,
  caller: Pick<Caller, 'scopes'>,
): Refusal | null {
  const { scopes } = caller
  const told = choosable(resource, toldParts(resource, plan.parts, scopes), scopes)
  return (
    refuseMissingScopes(neededScopes(resource, plan.parts), caller) ??
    refuseResolutions(requiredResolutions(told), Object.keys(resolutionsIn(body))) ??
    refuseBlocked([...toldBlockers(resource, plan.blockers, scopes), ...hiddenBlockers(told)])
  )
}

function refuseResolutions(required: readonly string[], given: readonly string[]): Refusal | null {
  const missing = required.filter(name => !given.includes(name))
  const unexpected = given.filter(name => !required.includes(name))
  if (missing.length + unexpected.length === 0) return null
  const issue = (name: string, rule: string, message: string) => ({ path: `/fieldResolutions/${name}`, rule, message })
  return unprocessable(
    [
      ...missing.map(name => issue(name, 'required', 'Choose the side whose value stays')),
      ...unexpected.map(name => issue(name, 'unexpected', 'There is nothing to choose here: preview the merge again')),
    ],
    {
      ...(missing.length === 0 ? {} : { missingResolutions: missing }),
      ...(unexpected.length === 0 ? {} : { unexpectedResolutions: unexpected }),
    },
  )
}
