import { useParams } from '@tanstack/react-router'
import { isKind } from '../records/kinds.ts'
import { MissingPage } from '../shell/failed-page.tsx'
import { RecordView } from './record-view.tsx'

/** The record that the address names. */
export function RecordRoute() {
  const { kind, id } = useParams({ strict: false })
  if (kind === undefined || id === undefined || !isKind(kind)) return <MissingPage />
  return <RecordView key={id} kind={kind} id={id} />
}
