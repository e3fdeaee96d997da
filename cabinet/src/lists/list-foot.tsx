import { Failure, sentenceOf } from '../api/index.ts'
import { Button } from '../components/index.ts'
import { formatNumber, formatTime } from '../format/formats.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Rows } from './use-rows.ts'

/** How many records the server looks through for one page of a list. */
const lookedThrough = 20_000

/** How far the list has come, and of when it is. */
export function ListFoot({ rows, onRefresh }: { readonly rows: Rows; readonly onRefresh: () => void }) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { error, isTruncated, isFetchingNextPage, dataUpdatedAt } = rows
  const isOld = error !== null && rows.data !== undefined
  return (
    <footer className="list-foot">
      {isTruncated ? (
        <>
          <span>
            {t('Looked through {count}', { count: formatNumber(lookedThrough * truncatedPages(rows), language) })}
          </span>
          <Button look="quiet" isSmall isDisabled={isFetchingNextPage} onPress={() => void rows.fetchNextPage()}>
            {t('Look further')}
          </Button>
        </>
      ) : null}
      {isOld ? (
        <span role="alert">
          {sentenceOf(error, showing.words)}{' '}
          {t('You see the state of {time}.', { time: formatTime(new Date(dataUpdatedAt).toISOString(), language) })}{' '}
          {error instanceof Failure && error.requestId !== null ? (
            <span className="mono">{error.requestId}</span>
          ) : null}
        </span>
      ) : null}
      <span className="push row-flex">
        {dataUpdatedAt === 0
          ? null
          : t('Refreshed {time}', { time: new Date(dataUpdatedAt).toLocaleTimeString(language) })}
        <Button
          look="quiet"
          isSmall
          onPress={isOld && rows.isFetchNextPageError ? () => void rows.fetchNextPage() : onRefresh}
        >
          {t('Refresh')}
        </Button>
      </span>
    </footer>
  )
}

function truncatedPages({ data }: Rows): number {
  return data?.pages.filter(page => page.isTruncated).length ?? 0
}
