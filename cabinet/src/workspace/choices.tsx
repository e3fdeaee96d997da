import type { ReactNode } from 'react'
import { Button, Checkbox, Dialog } from '../components/index.ts'
import { useWorkspace } from './workspace.ts'

export interface ChoicesProps {
  readonly title: string
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (id: string, isChosen: boolean) => void
  /** Further buttons at its end. */
  readonly foot?: ReactNode
}

/** The dialog in which several of many can be chosen. Each choice takes effect at once. */
export function Choices({
  title,
  choices,
  chosen,
  onChange,
  foot,
  onClose,
}: ChoicesProps & { readonly onClose: () => void }) {
  const { t } = useWorkspace().showing.words
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      foot={
        <>
          <Button look="primary" onPress={onClose}>
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
  )
}
