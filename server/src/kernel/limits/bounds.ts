import { jobBounds } from './job-bounds.ts'
import { requestBounds } from './request-bounds.ts'

export type { Bound } from './bound.ts'

/**
 * The bounds of everything that clients can make the server hold or do (contract section 17.33). The code that enforces
 * a bound reads it here, and the table in docs/operations.md is made from here.
 */
export const bounds = { ...requestBounds, ...jobBounds } as const

export type BoundName = keyof typeof bounds
