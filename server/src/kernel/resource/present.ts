import { timestamp } from '../clock.ts'
import type { Request } from '../operation.ts'
import type { PresentContext } from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { WriteContext } from './resource.ts'

/** How what was read is shown. */
export function presentingRead({ caller }: Request, { clock }: Services): PresentContext {
  return { organization: caller.organization, now: timestamp(clock) }
}

/** How what a transaction has decided is shown. */
export function presentingWrite({ directory, now }: WriteContext): PresentContext {
  return { organization: directory.organization, now }
}
