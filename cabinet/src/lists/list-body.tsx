import { Inbox, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { AgainButton, Banner, Button, Empty, Skeleton } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { newOfKind } from '../records/labels.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { narrows, type Selection } from './filters.rules.ts'
import type { Rows } from './use-rows.ts'

interface ListBodyProps {
  readonly kind: Kind
  readonly rows: Rows
  readonly selection: Selection
  readonly onShow: (selection: Selection) => void
  readonly onNew: (() => void) | undefined
  readonly children: ReactNode
}

const emptyOf = {
  contacts: 'No contacts yet.',
  companies: 'No companies yet.',
  deals: 'No deals yet.',
  tasks: 'No tasks yet.',
} as const satisfies Record<Kind, Text>

/** The rows, or why there are none: they are on their way, could not be read, do not exist, or do not match. */
export function ListBody({ kind, rows, selection, onShow, onNew, children }: ListBodyProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  if (rows.isPending) return <Waiting />
  if (rows.data === undefined) {
    const { error } = rows
    return (
      <div className="section">
        <Banner
          meaning="danger"
          isAlert
          action={<AgainButton isSmall error={error} onAgain={() => void rows.refetch()} />}
        >
          {sentenceOf(error, showing.words)}{' '}
          {error instanceof Failure ? <span className="mono">{error.requestId}</span> : null}
        </Banner>
      </div>
    )
  }
  if (rows.rows.length > 0) {
    return (
      <>
        {rows.isSimilar ? (
          <p className="list-note" role="status">
            {t('Nothing is written like “{search}”. These are similar:', { search: selection.search })}
          </p>
        ) : null}
        {children}
      </>
    )
  }
  if (rows.isTruncated) return <Empty icon={<SearchX className="icon" />} title={t('Nothing found so far')} />
  if (!narrows(selection)) {
    return (
      <Empty
        icon={<Inbox className="icon" />}
        title={t(emptyOf[kind])}
        actions={onNew === undefined ? undefined : <Button onPress={onNew}>{t(newOfKind[kind])}</Button>}
      />
    )
  }
  return (
    <Empty
      icon={<SearchX className="icon" />}
      title={t('Nothing matches')}
      actions={<Button onPress={() => onShow({ ...selection, search: '', filters: {} })}>{t('Show all')}</Button>}
    />
  )
}

function Waiting() {
  return (
    <div className="section list-waiting" aria-busy="true">
      {[1, 2, 3, 4, 5, 6, 7, 8].map(row => (
        <Skeleton key={row} />
      ))}
    </div>
  )
}
