import type { JsonObject } from '../kernel/schema/index.ts'

/**
 * Writes sample records through the ordinary write path: validated by their declaration, with versions, audit entries and change events.
 */
export interface SampleWriter {
  /** Creates records of one kind in their order, and resolves to their ids. Throws if one is refused. */
  upsert(plural: string, records: readonly JsonObject[]): Promise<readonly string[]>
  /** Sets the tags of a record that was just created. Throws if they are refused. */
  setTags(plural: string, id: string, tagIds: readonly string[]): Promise<void>
}
