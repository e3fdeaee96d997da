import { type Crm, NotFound } from 'crm-sdk'
import type { ChangeEvent } from 'crm-sdk/schemas'
import { type DerivedKind, isDerived, type Wish } from './kinds.rules.ts'

/**
 * Whether an event has won, lost or reopened its deal, as the history of the deal tells it. Asks only if that is wanted and may be. Null if it
 * has not, and for a deal that is gone.
 */
export async function closingOf(crm: Crm, event: ChangeEvent, { kinds }: Wish): Promise<DerivedKind | null> {
  const { resourceType, resourceId, operation, changedFields, version } = event
  const mayClose = resourceType === 'deal' && (operation === 'created' || changedFields.includes('status'))
  if (!mayClose || version === null || !kinds.some(isDerived)) return null
  try {
    for await (const { kind, dealVersion } of crm.deals.events.list(resourceId)) {
      if (dealVersion < version) return null
      if (dealVersion === version && isDerived(kind)) return kind
    }
    return null
  } catch (error) {
    if (NotFound.is(error)) return null
    throw error
  }
}
