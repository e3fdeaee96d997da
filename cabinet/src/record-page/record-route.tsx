import { useParams } from '@tanstack/react-router'
import { isKind } from '../records/kinds.ts'
import { MissingPage } from '../shell/failed-page.tsx'
import { RecordPage } from './record-page.tsx'

/** The record that the address names. */
export function RecordRoute() {
  const { kind, id } = useParams({ strict: false })
  if (kind === undefined || id === undefined || !isKind(kind)) return <MissingPage />
  return <RecordPage key={id} kind={kind} id={id} />
}
