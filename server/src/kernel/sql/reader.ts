import type { WhenGone } from '../call.ts'

/** For whom rows are read or written: places at the database are shared out by organization. */
export interface Reader {
  readonly organizationId: string
  /** Waits until a further part of a large answer may be taken in; throws when that takes too long. */
  giveWay(): Promise<void>
  readonly whenGone: WhenGone
}
