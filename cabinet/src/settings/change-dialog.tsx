import { type ReactNode, useEffect } from 'react'
import { Button, Dialog, FailureBanner } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type SettingChange, useSettingChange } from './use-setting-change.tsx'

interface ChangeDialogProps<Answer> {
  readonly title: string
  /** What its button says. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly change: SettingChange
  readonly onDone: (answer: Answer) => void
  readonly onClose: () => void
  /** What the change means. */
  readonly children: ReactNode
}

/** Asks before a change that cannot simply be taken back. A refusal is said in it. */
export function ChangeDialog<Answer>(props: ChangeDialogProps<Answer>) {
  const { title, action, isDangerous = true, change, onDone, onClose, children } = props
  const { t } = useWorkspace().showing.words
  const { make, isPending, error, dialog } = useSettingChange<Answer>(onDone)
  useEffect(() => () => keepFocus(performance.now() + longestReturn), [])
  const foot = (
    <>
      <Button look={isDangerous ? 'danger' : 'primary'} isDisabled={isPending} onPress={() => make(change)}>
        {action}
      </Button>
      <Button onPress={onClose} autoFocus>
        {t('Cancel')}
      </Button>
    </>
  )
  return (
    <>
      <Dialog isOpen role="alertdialog" onClose={onClose} title={title} foot={foot}>
        <div className="stack">
          <FailureBanner error={error} />
          {children}
        </div>
      </Dialog>
      {dialog}
    </>
  )
}

/** How long the focus may take to come back after a dialog, in milliseconds. */
const longestReturn = 1000

/** Gives the focus to the main action of the page when what had it before the dialog is gone, such as the row that was deleted. */
function keepFocus(until: number): void {
  if (document.querySelector('[role=alertdialog], [role=dialog]') === null && document.activeElement === document.body)
    document.querySelector<HTMLElement>('.pane .btn-primary')?.focus()
  if (performance.now() < until) requestAnimationFrame(() => keepFocus(until))
}
