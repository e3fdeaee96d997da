import type { JsonObject } from '../kernel/schema/index.ts'

/** Writes sample records like all others: checked by their declaration, with versions, audit entries and change events. */
export interface SampleWriter {
  /** Creates records of one kind, in their order, and resolves to their ids. Throws when one of them is refused. */
  upsert(plural: string, records: readonly JsonObject[]): Promise<readonly string[]>
  /** Gives a record that was just created its tags. Throws when they are refused. */
  setTags(plural: string, id: string, tagIds: readonly string[]): Promise<void>
}
