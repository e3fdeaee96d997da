import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { ButtonLink, IconButton, showToast } from '../components/index.ts'
import { useKeys } from '../keys/index.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { RecordView } from './record-view.tsx'

/** How the panel leads to other rows, and away. */
interface PanelWays {
  /** Absent at the first row. */
  readonly onPrevious: (() => void) | undefined
  /** Absent at the last row. */
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
}

interface RecordPanelProps {
  readonly kind: Kind
  readonly id: string
  readonly panel: PanelWays
}

/** The panel beside a list. Its head stays while records change in it, and keeps the focus. Of rows that one only passes, it reads none. */
export function RecordPanel({ kind, id, panel: { onPrevious, onNext, onClose } }: RecordPanelProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const [shown, setShown] = useState(id)
  const [name, setName] = useState<HTMLElement | null>(null)
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const nameId = useId()
  useEffect(() => {
    const timer = setTimeout(() => setShown(id), passing)
    return () => clearTimeout(timer)
  }, [id])
  // Where none is left, the button stays as it is, and keeps the focus.
  const goOn = onNext ?? (() => showToast({ text: t('There is no next row.') }))
  const goBack = onPrevious ?? (() => showToast({ text: t('There is no previous row.') }))
  useKeys([
    { keys: 'Escape', text: t('Close'), run: onClose },
    { keys: 'j', text: t('Next row'), run: goOn },
    { keys: 'k', text: t('Previous row'), run: goBack },
  ])
  return (
    <section className="side-panel" aria-labelledby={nameId}>
      <div ref={setName} id={nameId} role="status" className="visually-hidden" />
      <div className="page-head">
        <IconButton label={t('Previous row')} onPress={goBack}>
          <ArrowUp className="icon" />
        </IconButton>
        <IconButton label={t('Next row')} onPress={goOn}>
          <ArrowDown className="icon" />
        </IconButton>
        <ButtonLink look="quiet" isSmall href={`/o/${organization.id}/${kind}/${shown}`}>
          {t('Open as page')}
        </ButtonLink>
        <div className="page-actions">
          <div ref={setActions} className="panel-actions" />
          <IconButton label={t('Close')} onPress={onClose}>
            <X className="icon" />
          </IconButton>
        </div>
      </div>
      <RecordView key={shown} kind={kind} id={shown} panel={{ onClose, name, actions }} />
    </section>
  )
}

/** How long one stays at a row, in milliseconds, before its record is read. */
const passing = 120
