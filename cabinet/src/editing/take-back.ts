import type { Directories } from '../directories/directories.ts'
import { type Values, valuesOf } from '../records/changes.rules.ts'
import type { Kind } from '../records/kinds.ts'
import { type RecordState, read, same } from '../records/record.ts'
import { allFields } from './custom-fields.ts'
import type { Editing } from './use-editing.tsx'

interface TakenBack {
  readonly before: Values
  readonly after: Values
  /** The version that the change made. */
  readonly version: number
}

/** Whether a record still has the values that a change gave it. */
function isUntouched(record: RecordState, after: Values): boolean {
  return [...after].every(([path, value]) => same(read(record, path), value))
}

/**
 * Gives a record the values back that it had before a change. Where these fields were changed again since, the conflict is shown, with who
 * came after.
 */
export function takeBack(
  editing: Editing,
  {
    kind,
    record,
    directories,
  }: { readonly kind: Kind; readonly record: RecordState; readonly directories: Directories },
  { before, after, version }: TakenBack,
  origin: 'undo' | 'history',
): Promise<void> {
  const saw = new Map([...valuesOf(record, allFields(kind, directories)), ...after])
  return editing.change(origin, kind, record, before, saw, isUntouched(record, after) ? record.version : version)
}
