import { useParams } from '@tanstack/react-router'
import { isKind } from '../records/kinds.ts'
import { MissingPage } from '../shell/failed-page.tsx'
import { ListPage } from './list-page.tsx'

/** The list that the address names. Each kind of each organization has a page of its own, with its own selection. */
export function ListRoute() {
  const { organization, kind } = useParams({ strict: false })
  return kind !== undefined && isKind(kind) ? <ListPage key={`${organization}/${kind}`} kind={kind} /> : <MissingPage />
}
