import type { WhenGone } from '../input/call.ts'

/** The organization for which rows are read or written. Each organization has its share of the database connections. */
export interface Reader {
  readonly organizationId: string
  /** Waits until the next part of a large answer may be read. Throws on a timeout. */
  giveWay(): Promise<void>
  readonly whenGone: WhenGone
}
