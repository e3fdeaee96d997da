import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Kind } from '../records/kinds.ts'
import { firstPage, type HistoryEntry, readHistory } from '../records/record-requests.ts'

/** The history of a record, the newest first, read page by page. */
export function useHistory(organization: string, kind: Kind, id: string) {
  const query = useInfiniteQuery({
    queryKey: ['history', organization, kind, id],
    queryFn: ({ pageParam, signal }) => readHistory(organization, kind, id, pageParam, signal),
    initialPageParam: firstPage(),
    getNextPageParam: last => last.meta.nextCursor ?? null,
  })
  const { data } = query
  const entries = useMemo((): readonly HistoryEntry[] => (data?.pages ?? []).flatMap(page => page.data), [data])
  return { ...query, entries }
}

export type History = ReturnType<typeof useHistory>

/** Reads as much of the history as it takes to tell what the record was at a version. Answers whether it is there. */
export function useHistoryBackTo(
  { entries, hasNextPage, isFetchingNextPage, fetchNextPage, isSuccess }: History,
  version: number | null,
): boolean {
  const oldest = entries.findLast(entry => entry.versionAfter !== null)?.versionAfter ?? Number.POSITIVE_INFINITY
  const isThere = isSuccess && (version === null || oldest <= version || !hasNextPage)
  useEffect(() => {
    if (!isThere && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isThere, hasNextPage, isFetchingNextPage, fetchNextPage])
  return isThere
}
