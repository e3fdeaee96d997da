import { useEffect, useState } from 'react'
import type { Kind } from '../records/kinds.ts'
import type { Panel } from './record-frame.tsx'
import { RecordView } from './record-view.tsx'

interface RecordPanelProps {
  readonly kind: Kind
  readonly id: string
  readonly panel: Panel
}

/** The panel beside a list. Of rows that one only passes, it reads none. */
export function RecordPanel({ kind, id, panel }: RecordPanelProps) {
  const [shown, setShown] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setShown(id), passing)
    return () => clearTimeout(timer)
  }, [id])
  return <RecordView key={shown} kind={kind} id={shown} panel={panel} />
}

/** How long one stays at a row, in milliseconds, before its record is read. */
const passing = 120
