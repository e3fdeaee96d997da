import { type ReactNode, useState } from 'react'
import { Button, Checkbox, Dialog } from '../components/index.ts'
import { useWorkspace } from './workspace.ts'

interface ChoiceDialogProps {
  readonly title: string
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (id: string, isChosen: boolean) => void
  /** What opens it, given how. */
  readonly button: (open: () => void) => ReactNode
  /** Further buttons at its end. */
  readonly foot?: ReactNode
}

/** A button, and the dialog behind it in which several of many can be chosen. Each choice takes effect at once. */
export function ChoiceDialog({ title, choices, chosen, onChange, button, foot }: ChoiceDialogProps) {
  const { t } = useWorkspace().showing.words
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      {button(() => setOpen(true))}
      {isOpen ? (
        <Dialog
          isOpen
          onClose={close}
          title={title}
          foot={
            <>
              <Button look="primary" onPress={close}>
                {t('Done')}
              </Button>
              {foot}
            </>
          }
        >
          <div className="radios">
            {choices.map(({ id, name }, index) => (
              <Checkbox
                key={id}
                isSelected={chosen.includes(id)}
                onChange={isChosen => onChange(id, isChosen)}
                {...(index === 0 ? { autoFocus: true } : {})}
              >
                {name}
              </Checkbox>
            ))}
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
