import type { QueryClient } from '@tanstack/react-query'
import { request } from '../api/index.ts'
import { dropRow } from '../lists/use-rows.ts'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'

/** A reason that forbids a deletion. */
export interface RemovalBlocker {
  readonly code: string
  readonly count?: number
}

/** What a deletion would do, as the server says it beforehand. */
export interface RemovalPreview {
  /** The version that the record has now. */
  readonly version: number
  /** How many there are of what is linked with it, by the name of the link. */
  readonly links: Readonly<Record<string, { readonly count: number }>>
  readonly blockers: readonly RemovalBlocker[]
}

interface PreviewAnswer extends Omit<RemovalPreview, 'blockers'> {
  readonly blockers: readonly RemovalBlocker[] | { readonly full: readonly RemovalBlocker[] }
}

/** Asks what the deletion of a record would do. Of deals and tasks the API tells no links: nothing forbids to delete them. */
export async function previewRemoval(
  organization: string,
  kind: Kind,
  id: string,
  signal: AbortSignal,
): Promise<RemovalPreview> {
  const path = `/o/${organization}/crm/${kind}/${id}`
  if (kind === 'deals' || kind === 'tasks') {
    const { version } = await request<RecordState>('GET', path, { signal })
    return { version, links: {}, blockers: [] }
  }
  const { version, links, blockers } = await request<PreviewAnswer>('GET', `${path}/delete/preview`, { signal })
  return { version, links, blockers: 'full' in blockers ? blockers.full : blockers }
}

/** A record, and the version that it must have to be deleted. */
export type Target = Pick<RecordState, 'id' | 'version'>

/** Deletes a record and unlinks it everywhere. `key` is that of the request: sent again with it, it is deleted once. */
export async function removeRecord(
  organization: string,
  kind: Kind,
  { id, version: expectedVersion }: Target,
  key: string,
): Promise<void> {
  const path = `/o/${organization}/crm/${kind}/${id}`
  if (kind === 'contacts')
    await request('POST', `${path}/delete/commit`, { body: { mode: 'full', expectedVersion }, key })
  else if (kind === 'companies') await request('POST', `${path}/delete/commit`, { body: { expectedVersion }, key })
  else await request('DELETE', path, { query: { expectedVersion }, key })
}

/** Takes a deleted record out of what the pages remember. */
export function forgetRecord(client: QueryClient, organization: string, kind: Kind, id: string): void {
  dropRow(client, organization, kind, id)
  void client.invalidateQueries({ queryKey: ['count', organization, kind] })
  void client.invalidateQueries({ queryKey: ['sheet', organization], refetchType: 'none' })
  client.removeQueries({ queryKey: ['record', organization, kind, id] })
}
