import type { RecordState } from '../records/record.ts'

/** The selected records, each with the version in which it was selected. Not all of them need to be among the rows that are read. */
export type SelectedRecords = ReadonlyMap<string, number>

/** The selection with other records as well. */
export function withRecords(selected: SelectedRecords, records: readonly RecordState[]): SelectedRecords {
  return new Map([...selected, ...records.map(({ id, version }) => [id, version] as const)])
}

/** The selection without some records: all of a filter but one row is all of it without that one. */
export function withoutRecords(selected: SelectedRecords, ids: readonly string[]): SelectedRecords {
  const next = new Map(selected)
  for (const id of ids) next.delete(id)
  return next
}

/** The targets of a bulk job: each record in the version that the list shows, or in which it was selected. */
export function targetsOf(
  selected: SelectedRecords,
  rows: readonly RecordState[],
): { readonly id: string; readonly expectedVersion: number }[] {
  const shown = new Map(rows.map(({ id, version }) => [id, version]))
  return [...selected].map(([id, version]) => ({ id, expectedVersion: shown.get(id) ?? version }))
}
