import type { Operation } from '../../kernel/index.ts'
import type { HttpEntry } from './entries.ts'

/** An operation as an entry offers it: at a path of the entry, with its authentication, its rate limits and its headers. */
export interface Offer {
  readonly entry: HttpEntry
  readonly operation: Operation
  /** The pattern of the path. */
  readonly path: string
}

/**
 * Offers an operation at an entry. Its id, its conventions and whatever it does stay the same, and so does the path of its declaration, by
 * which fingerprints and cursors tell routes apart.
 */
export function offer(operation: Operation, entry: HttpEntry): Offer {
  return { entry, operation, path: entry.pathOf(operation) }
}
