import { type Clock, timestamp } from '../clock.ts'
import type { OrganizationSettings, PresentContext } from '../schema/index.ts'
import type { WriteContext } from './resource.ts'

/** How what was read is shown to a caller of this organization. */
export function presentingRead(
  { caller }: { readonly caller: { readonly organization: OrganizationSettings } },
  { clock }: { readonly clock: Clock },
): PresentContext {
  return { organization: caller.organization, now: timestamp(clock) }
}

/** How what a transaction has decided is shown. */
export function presentingWrite({ directory, now }: WriteContext): PresentContext {
  return { organization: directory.organization, now }
}
