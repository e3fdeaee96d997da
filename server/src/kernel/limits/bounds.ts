import { countBounds } from './count-bounds.ts'
import { feedBounds } from './feed-bounds.ts'
import { jobBounds } from './job-bounds.ts'
import { requestBounds } from './request-bounds.ts'
import { sessionBounds } from './session-bounds.ts'

/**
 * The bounds of what clients can make the server hold or do (contract section 17.33), whatever modules it has. A module declares further
 * bounds; docs/operations/bounds.md lists them all. The code that enforces a bound reads it where it is declared.
 */
export const bounds = { ...requestBounds, ...sessionBounds, ...countBounds, ...feedBounds, ...jobBounds } as const

export type BoundName = keyof typeof bounds
