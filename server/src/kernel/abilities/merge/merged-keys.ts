import type { RecordState, WriteContext } from '../../record/index.ts'
import { allKeysOf } from '../../write/load.ts'
import type { WorkingSet } from '../../write/working-set.ts'

/** The result of a merge for the secondary's keys (contract section 8). */
export interface MergedKeys {
  /** Whether both records have a key of the calling application. */
  readonly conflict: boolean
  /**
   * Keys of other applications, which cannot be consulted. If the primary has a key of the same application, the secondary's becomes a
   * tombstone, which counts as a conflict.
   */
  readonly otherApplications: { readonly moved: number; readonly conflicts: number }
}

/** Pure: compares the keys that all applications have for two records. */
export function mergedKeys(
  primary: RecordState,
  secondary: RecordState,
  work: WorkingSet,
  { applicationId }: WriteContext,
): MergedKeys {
  const applicationsOf = ({ id }: RecordState) => work.read(allKeysOf(id)).map(({ applicationId: owner }) => owner)
  const held = new Set(applicationsOf(primary))
  const others = applicationsOf(secondary).filter(id => id !== applicationId)
  const conflicts = others.filter(id => held.has(id)).length
  return {
    conflict: primary.externalId !== null && secondary.externalId !== null,
    otherApplications: { moved: others.length - conflicts, conflicts },
  }
}
