import { Lookup, type RecordState, type Refusal, type SettingsChange, type SettingsDraft } from '../kernel/index.ts'
import { claimedStatement } from '../kernel/sql/index.ts'
import { missing } from './administration-error.ts'
import { application } from './application.ts'
import { token } from './token.ts'

// A token is identified by the part of its text that is not secret. With the organization, a cluster asks the node that has the claim.
const findRecord = claimedStatement(
  'find_record_of_token',
  `select t.record_id, t.application_id,
          (select next.id from api_tokens next
            where next.organization_id = $1 and next.application_id = t.application_id and next.rotated_from = t.id
            limit 1) as successor
     from organizations o
    cross join api_tokens t
    where o.id = $1 and t.organization_id = $1 and t.id = $2`,
)

/** Queries a token, the application that it belongs to, and the other tokens of that. */
export const needToken =
  (tokenId: string): NonNullable<SettingsChange<unknown>['needs']> =>
  (needs, work) => {
    needs.toLoad(Lookup.row(findRecord, [tokenId]))
    const found = work.read(Lookup.row(findRecord, [tokenId]))
    if (found === null) return
    needs.toLoadNested(token, String(found.record_id))
    needs.toLoadNested(application, String(found.application_id))
    needs.toLoadNestedIn(token, String(found.application_id))
  }

export interface FoundToken {
  readonly record: RecordState
  readonly application: RecordState
  /** The token that replaced it. */
  readonly successor: string | null
}

/** The token, or why there is none. */
export function foundToken(draft: SettingsDraft, tokenId: string): FoundToken | Refusal {
  const found = draft.read(Lookup.row(findRecord, [tokenId]))
  const record = draft.record(token, String(found?.record_id))
  const owner = draft.record(application, String(found?.application_id))
  if (record === null || owner === null) return missing('token', tokenId)
  return { record, application: owner, successor: typeof found?.successor === 'string' ? found.successor : null }
}
