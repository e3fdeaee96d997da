import { agentBounds } from './agent-bounds.ts'
import { jobBounds } from './job-bounds.ts'
import { requestBounds } from './request-bounds.ts'

export type { Bound } from './bound.ts'

/**
 * The bounds of everything that clients can make the server hold or do (contract section 17.33). The code that enforces
 * a bound reads it here, and the table in docs/operations/bounds.md is made from here.
 */
export const bounds = { ...requestBounds, ...jobBounds, ...agentBounds } as const

export type BoundName = keyof typeof bounds
