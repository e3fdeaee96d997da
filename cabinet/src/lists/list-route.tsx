import { useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPart } from '../components/index.ts'
import { isKind } from '../records/kinds.ts'
import { MissingPage } from '../shell/failed-page.tsx'
import { useIsBoard } from './layout-switch.tsx'
import { ListPage } from './list-page.tsx'

const BoardPage = lazyPart(async () => (await import('../board/board-page.tsx')).BoardPage)

/** The list that the address names, or the board of deals. Each kind of each organization has a page of its own, with its own selection. */
export function ListRoute() {
  const { organization, kind } = useParams({ strict: false })
  const isBoard = useIsBoard()
  if (kind === undefined || !isKind(kind)) return <MissingPage />
  if (kind !== 'deals' || !isBoard) return <ListPage key={`${organization}/${kind}`} kind={kind} />
  return (
    <Suspense>
      <BoardPage key={organization} />
    </Suspense>
  )
}
