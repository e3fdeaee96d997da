import { request } from '../api/index.ts'
import type { JsonObject } from '../records/record.ts'

/** A point of a checklist. */
export interface ChecklistItem {
  readonly id: string
  readonly version: number
  readonly text: string
  readonly isDone: boolean
  readonly doneAt: string | null
  /** Absent where the reader may not see operators. */
  readonly doneByUuid?: string | null
}

/** A checklist of a task, with its points in their order. */
export interface Checklist {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly items: readonly ChecklistItem[]
}

/** How much a title and a point can hold. */
export const longest = { title: 300, text: 2000 }

/** The ids after one of them has moved up or down; undefined where it stands at that end already. */
export function orderAfterMove(ids: readonly string[], id: string, by: 1 | -1): readonly string[] | undefined {
  const from = ids.indexOf(id)
  const other = ids[from + by]
  if (from === -1 || other === undefined) return undefined
  return ids.map(one => (one === id ? other : one === other ? id : one))
}

/** The checklists of a task: 50 at most, so that one page has all. */
export function readChecklists(organization: string, task: string, signal?: AbortSignal): Promise<Checklist[]> {
  return request<Checklist[]>('GET', pathOf(organization, task), { query: { limit: 100 }, signal })
}

/** The changes of checklists. Each names the version that it goes out from, except for what is added. */
export function checklistRequests(organization: string, task: string) {
  const path = pathOf(organization, task)
  const send = (method: 'POST' | 'PATCH', at: string, body: JsonObject, key: string = crypto.randomUUID()) =>
    request<{ readonly id: string }>(method, `${path}${at}`, { body, key })
  const remove = (at: string, expectedVersion: number) =>
    request('DELETE', `${path}${at}`, { query: { expectedVersion }, key: crypto.randomUUID() })
  return {
    add: (title: string, key: string) => send('POST', '', { title }, key),
    rename: ({ id, version }: Checklist, title: string) => send('PATCH', `/${id}`, { expectedVersion: version, title }),
    place: ({ id, version }: Checklist, position: number) =>
      send('PATCH', `/${id}`, { expectedVersion: version, position }),
    remove: ({ id, version }: Checklist) => remove(`/${id}`, version),
    addItem: ({ id }: Checklist, item: Readonly<{ text: string; isDone?: boolean; position?: number }>, key: string) =>
      send('POST', `/${id}/items`, { ...item }, key),
    changeItem: (
      { id }: Checklist,
      { id: item, version }: ChecklistItem,
      change: Readonly<{ text: string } | { isDone: boolean }>,
    ) => send('PATCH', `/${id}/items/${item}`, { expectedVersion: version, ...change }),
    reorder: ({ id, version }: Checklist, itemIds: readonly string[]) =>
      send('POST', `/${id}/items/reorder`, { expectedVersion: version, itemIds }),
    removeItem: ({ id }: Checklist, { id: item, version }: ChecklistItem) => remove(`/${id}/items/${item}`, version),
  }
}

function pathOf(organization: string, task: string): string {
  return `/o/${organization}/crm/tasks/${task}/checklists`
}
