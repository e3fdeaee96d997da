import { type InfiniteData, keepPreviousData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { firstPage, listRecords, type RecordPage } from '../records/record-requests.ts'
import { queryOf, type Selection } from './filters.rules.ts'

/** Where the rows of a list are kept. */
export function rowsKey(organization: string, kind: Kind, selection?: Selection): readonly string[] {
  return ['rows', organization, kind, ...(selection === undefined ? [] : [queryOf(selection).toString()])]
}

/**
 * The rows of a list, read page by page. Rows that are there stay while others are read or a refresh fails; a page that ended because
 * enough was looked through is followed only when the reader asks for more.
 */
export function useRows(organization: string, kind: Kind, selection: Selection) {
  const query = useInfiniteQuery({
    queryKey: rowsKey(organization, kind, selection),
    queryFn: ({ pageParam, signal }) => listRecords(organization, kind, selection, pageParam, signal),
    initialPageParam: firstPage(),
    getNextPageParam: (last: RecordPage) => last.nextCursor,
    placeholderData: keepPreviousData,
    // The stream tells what has changed, and people say when they want to see what is new.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const { data } = query
  const rows = useMemo(() => (data?.pages ?? []).flatMap(page => page.records), [data])
  const last = data?.pages.at(-1)
  return {
    ...query,
    rows,
    isSimilar: data?.pages[0]?.isSimilar === true,
    isTruncated: last?.isTruncated === true && last.nextCursor !== null,
  }
}

export type Rows = ReturnType<typeof useRows>

/** Puts newer states of records in the place of those that lists show. Rows stay where they are. */
export function replaceRows(
  client: QueryClient,
  organization: string,
  kind: Kind,
  records: readonly RecordState[],
): void {
  const byId = new Map(records.map(record => [record.id, record]))
  client.setQueriesData<InfiniteData<RecordPage>>({ queryKey: rowsKey(organization, kind) }, data => {
    if (data === undefined) return data
    const newer = (record: RecordState) => {
      const found = byId.get(record.id)
      return found === undefined || found.version < record.version ? record : found
    }
    const pages = data.pages.map(page =>
      page.records.some(({ id }) => byId.has(id)) ? { ...page, records: page.records.map(newer) } : page,
    )
    return { ...data, pages }
  })
}

/** Takes a removed record out of the lists. */
export function dropRow(client: QueryClient, organization: string, kind: Kind, id: string): void {
  client.setQueriesData<InfiniteData<RecordPage>>({ queryKey: rowsKey(organization, kind) }, data =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map(page => ({ ...page, records: page.records.filter(record => record.id !== id) })),
        },
  )
}
