import { type HistoryChange, tellingChanges } from '../records/history.rules.ts'

/** Members that follow from others, and say nothing to people. */
const quiet = new Set(['displayName', 'updatedAt', 'rank', 'updatedByUuid', 'stageChangedAt', 'itemsTotal'])

const parts = ['activities', 'checklists', 'files', 'items']

/** What the timeline says of an entry: each part of the record, such as its files, once and without values, and no member that follows from others. */
export function shownChanges(changes: readonly HistoryChange[]): readonly HistoryChange[] {
  const shown = new Map<string, HistoryChange>()
  for (const change of tellingChanges(changes)) {
    const part = partOf(change.field)
    if (part !== undefined) shown.set(part, { field: part })
    else if (!quiet.has(change.field)) shown.set(change.field, change)
  }
  return [...shown.values()]
}

function partOf(field: string): string | undefined {
  return parts.find(part => field === part || field === `${part}Count` || field.startsWith(`${part}.`))
}
