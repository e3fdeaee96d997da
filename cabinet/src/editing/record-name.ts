import { useQuery } from '@tanstack/react-query'
import { request } from '../api/index.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** What a linked record is called; an ellipsis until it is read, and its id where it may not be. */
export function useRecordName(kind: Kind, id: string | null): string {
  const { organization } = useWorkspace()
  const { data, isError } = useQuery({
    queryKey: ['record', organization.id, kind, id],
    queryFn: ({ signal }) => request<RecordState>('GET', `/o/${organization.id}/crm/${kind}/${id}`, { signal }),
    enabled: id !== null,
  })
  if (isError) return id ?? ''
  return data === undefined ? '…' : nameOfRecord(kind, data)
}
