import { type InfiniteData, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { RecordPage } from '../records/record-requests.ts'
import { dropRow, isOfList, replaceRows, rowsKey } from './use-rows.ts'

test('only rows of the same organization and kind stand in for rows that are not read yet', () => {
  const key = [...rowsKey('a', 'deals'), 'sort=name']
  expect(isOfList(key, 'a', 'deals')).toBe(true)
  expect(isOfList(key, 'b', 'deals')).toBe(false)
  expect(isOfList(key, 'a', 'tasks')).toBe(false)
  expect(isOfList(undefined, 'a', 'deals')).toBe(false)
})

test('rows that were read before a change do not undo it', async () => {
  const client = new QueryClient()
  const queryKey = [...rowsKey('a', 'deals'), '']
  const page: RecordPage = {
    records: [
      { id: 'one', version: 1 },
      { id: 'two', version: 1 },
    ],
    nextCursor: null,
    isTruncated: false,
    isSimilar: false,
  }
  client.setQueryData<InfiniteData<RecordPage>>(queryKey, { pages: [page], pageParams: [null] })
  let answer = () => {}
  const read = new Promise<RecordPage>(resolve => {
    answer = () => resolve(page)
  })
  const reading = client.infiniteQuery({
    queryKey,
    queryFn: () => read,
    initialPageParam: null,
    getNextPageParam: () => null,
  })
  dropRow(client, 'a', 'deals', 'one')
  replaceRows(client, 'a', 'deals', [{ id: 'two', version: 2 }])
  answer()
  await reading
  await expect
    .poll(() => client.getQueryData<InfiniteData<RecordPage>>(queryKey)?.pages.flatMap(({ records }) => records))
    .toEqual([{ id: 'two', version: 2 }])
  client.clear()
})
