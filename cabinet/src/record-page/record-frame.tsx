import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useWorkspace } from '../workspace/workspace.ts'

/** The panel beside a list, as far as the record in it needs it. */
export interface Panel {
  readonly onClose: () => void
  /** Where the name of the record is said. */
  readonly name: HTMLElement | null
  /** Where the actions of the record stand. */
  readonly actions: HTMLElement | null
}

interface FrameProps {
  /** Absent where the record has a page of its own. */
  readonly panel: Panel | undefined
  readonly name: string
  readonly children: ReactNode
}

/** What is around a record on its page. In the panel beside a list, that is there already, and learns the name of the record. */
export function RecordFrame({ panel, name, children }: FrameProps) {
  const { organization } = useWorkspace()
  if (panel !== undefined) {
    return (
      <>
        {panel.name === null ? null : createPortal(name, panel.name)}
        {children}
      </>
    )
  }
  return (
    <main className="main">
      <title>{`${name} · ${organization.name}`}</title>
      {children}
    </main>
  )
}
