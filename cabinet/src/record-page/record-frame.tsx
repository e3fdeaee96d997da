import type { ReactNode } from 'react'
import { useKeys } from '../keys/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** How the panel beside a list leads to other rows, and away. */
export interface Panel {
  /** Absent at the first row. */
  readonly onPrevious: (() => void) | undefined
  /** Absent at the last row. */
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
}

interface FrameProps {
  /** Absent where the record has a page of its own. */
  readonly panel: Panel | undefined
  readonly name: string
  readonly children: ReactNode
}

/** What is around a record: its page, or the panel beside the list. */
export function RecordFrame({ panel, name, children }: FrameProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  useKeys(
    panel === undefined
      ? []
      : [
          { keys: 'Escape', text: t('Close'), run: panel.onClose },
          { keys: 'j', text: t('Next row'), run: () => panel.onNext?.() },
          { keys: 'k', text: t('Previous row'), run: () => panel.onPrevious?.() },
        ],
  )
  if (panel !== undefined) {
    return (
      <section className="side-panel" aria-label={name}>
        {children}
      </section>
    )
  }
  return (
    <main className="main">
      <title>{`${name} · ${organization.name}`}</title>
      {children}
    </main>
  )
}
