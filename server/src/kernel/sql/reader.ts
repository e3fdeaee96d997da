import type { WhenGone } from '../input/call.ts'

/** The organization that rows are read or written for. Each organization has its share of the database connections. */
export interface Reader {
  readonly organizationId: string
  /** Waits until the next part of a large answer may be read. Throws if that takes too long. */
  giveWay(): Promise<void>
  readonly whenGone: WhenGone
}
