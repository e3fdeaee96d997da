import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { firstPage, listRecords, type RecordPage } from '../records/record-requests.ts'
import { queryOf, type Selection } from './filters.rules.ts'

/** Where the rows of a list are kept. */
export function rowsKey(organization: string, kind: Kind, selection?: Selection): readonly string[] {
  return ['rows', organization, kind, ...(selection === undefined ? [] : [queryOf(selection).toString()])]
}

/** Whether rows are kept under a key of this list: those of another organization or kind must not stand in for them. */
export function isOfList(key: readonly string[] | undefined, organization: string, kind: Kind): boolean {
  return rowsKey(organization, kind).every((part, index) => key?.[index] === part)
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
    placeholderData: (previous, query) => (isOfList(query?.queryKey, organization, kind) ? previous : undefined),
    // While the list is shown, the stream tells what has changed; a list that is shown again may be old.
    staleTime: 10_000,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const client = useQueryClient()
  const shown = rowsKey(organization, kind, selection).join(' ')
  // A list that one comes back to is read again, so that it must not be long.
  useEffect(
    () => () => {
      client.setQueryData<InfiniteData<RecordPage>>(rowsKey(organization, kind, selection), cut, { updatedAt: 0 })
    },
    [client, shown],
  )
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

const mostKept = 3

function cut(data: InfiniteData<RecordPage> | undefined): InfiniteData<RecordPage> | undefined {
  if (data === undefined) return undefined
  return { pages: data.pages.slice(0, mostKept), pageParams: data.pageParams.slice(0, mostKept) }
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
  changeRows(client, organization, kind, data => {
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

/**
 * Reads the pages of a list again on which these records were, with one request for each page, and answers what stands on them now. Pages
 * that cannot be read are left out.
 */
export async function readPagesOf(
  client: QueryClient,
  organization: string,
  kind: Kind,
  selection: Selection,
  ids: readonly string[],
): Promise<readonly RecordState[]> {
  const data = client.getQueryData<PagesOfRows>(rowsKey(organization, kind, selection))
  const sought = new Set(ids)
  const cursors = (data?.pageParams ?? []).filter((_, place) =>
    data?.pages[place]?.records.some(({ id }) => sought.has(id)),
  )
  const read = cursors.map(cursor => listRecords(organization, kind, selection, cursor))
  return (await Promise.allSettled(read)).flatMap(page => (page.status === 'fulfilled' ? page.value.records : []))
}

/** Takes a removed record out of the lists. */
export function dropRow(client: QueryClient, organization: string, kind: Kind, id: string): void {
  changeRows(client, organization, kind, data => ({
    ...data,
    pages: data.pages.map(page => ({ ...page, records: page.records.filter(record => record.id !== id) })),
  }))
}

type PagesOfRows = InfiniteData<RecordPage, string | null>

/** Changes the rows that are here, and those that are being read: they may be older than the change, and take the place of the others. */
function changeRows(client: QueryClient, organization: string, kind: Kind, change: (data: PagesOfRows) => PagesOfRows) {
  const queryKey = rowsKey(organization, kind)
  const changed = (data: PagesOfRows | undefined) => data && change(data)
  client.setQueriesData<PagesOfRows>({ queryKey }, changed)
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
    const again = () => client.setQueryData<PagesOfRows>(query.queryKey, changed)
    void query.promise?.then(again, () => {})
  }
}
