import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useWords } from '../words/index.ts'
import { IconButton } from './button.tsx'

interface DialogProps {
  readonly isOpen: boolean
  /** Called for Escape, the close button, and a press outside where that is allowed. */
  readonly onClose: () => void
  readonly title: string
  /** A line below the title. */
  readonly note?: ReactNode
  readonly children: ReactNode
  /** The buttons, at the bottom. */
  readonly foot?: ReactNode
  /** Something would be lost: a press outside does not close it. Escape still asks `onClose`. */
  readonly isKept?: boolean
  readonly role?: 'dialog' | 'alertdialog'
}

/** A dialog in the middle, for a question. The page behind it waits. */
export function Dialog(props: DialogProps) {
  return <Overlay {...props} scrim="scrim" panel="dialog" />
}

/** A panel that comes from the side, for forms and what is longer. On small screens it is the whole page. */
export function Sheet(props: DialogProps) {
  return <Overlay {...props} scrim="scrim scrim-sheet" panel="sheet" />
}

interface OverlayProps extends DialogProps {
  readonly scrim: string
  readonly panel: string
}

function Overlay({
  isOpen,
  onClose,
  title,
  note,
  children,
  foot,
  isKept,
  role = 'dialog',
  scrim,
  panel,
}: OverlayProps) {
  const { t } = useWords()
  const change = (open: boolean) => {
    if (!open) onClose()
  }
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={change} isDismissable={isKept !== true} className={scrim}>
      <Modal className={panel}>
        <AriaDialog role={role} className="dialog-body">
          <header className="sheet-head">
            <div>
              <Heading slot="title" className="dialog-title">
                {title}
              </Heading>
              {note === undefined ? null : <p className="second">{note}</p>}
            </div>
            <span className="push">
              <IconButton label={t('Close')} onPress={onClose}>
                <X className="icon" />
              </IconButton>
            </span>
          </header>
          <div className="sheet-body">{children}</div>
          {foot === undefined ? null : <footer className="sheet-foot">{foot}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
