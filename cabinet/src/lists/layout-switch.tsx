import { useRouter } from '@tanstack/react-router'
import { Columns3, List } from 'lucide-react'
import { useWorkspace } from '../workspace/workspace.ts'
import { useListQuery } from './use-list-query.ts'

const parameter = 'view'

/** Whether the address asks for the board of deals. */
export function useIsBoard(): boolean {
  return isBoardIn(useListQuery('deals'))
}

/** Whether the query of an address asks for the board. */
export function isBoardIn(search: string): boolean {
  return new URLSearchParams(search).get(parameter) === 'board'
}

/** The query of an address that shows the board instead of the list, or the list. */
export function withLayout(query: URLSearchParams, isBoard: boolean): URLSearchParams {
  const next = new URLSearchParams(query)
  next.delete(parameter)
  if (isBoard) next.set(parameter, 'board')
  return next
}

/** Chooses how deals are shown: as a list, or as a board. Filters stay. */
export function LayoutSwitch() {
  const { t } = useWorkspace().showing.words
  const router = useRouter()
  const isBoard = useIsBoard()
  const show = (next: boolean) => {
    const { pathname, search } = router.history.location
    const query = withLayout(new URLSearchParams(search), next)
    router.history.push(query.size === 0 ? pathname : `${pathname}?${query}`)
  }
  return (
    <span className="btn-group" role="group" aria-label={t('View')}>
      <button type="button" className="btn" aria-label={t('List')} aria-pressed={!isBoard} onClick={() => show(false)}>
        <List className="icon" />
        <span className="only-wide">{t('List')}</span>
      </button>
      <button type="button" className="btn" aria-label={t('Board')} aria-pressed={isBoard} onClick={() => show(true)}>
        <Columns3 className="icon" />
        <span className="only-wide">{t('Board')}</span>
      </button>
    </span>
  )
}
