import { Ellipsis } from 'lucide-react'
import { IconButton, MenuButton, MenuItem } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** What can be done with a row of a part. */
export type RowAction = 'edit' | 'up' | 'down' | 'delete'

interface RowMenuProps {
  readonly name: string
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The key that edits, where the row listens to it. */
  readonly editKey?: string
  readonly onAct: (action: RowAction) => void
}

const actions: readonly RowAction[] = ['edit', 'up', 'down', 'delete']

/** The menu of a row that stands in an order: it is edited, moved or deleted. */
export function RowMenu({ name, isFirst, isLast, editKey, onAct }: RowMenuProps) {
  const { t } = useWorkspace().showing.words
  const act = (key: string | number) => {
    const action = actions.find(one => one === key)
    if (action !== undefined) onAct(action)
  }
  return (
    <MenuButton
      label={t('More')}
      onAction={act}
      button={
        <IconButton isSmall label={t('More about {name}', { name })}>
          <Ellipsis className="icon icon-small" />
        </IconButton>
      }
    >
      <MenuItem id="edit" {...(editKey === undefined ? {} : { shortcut: editKey })}>
        {t('Edit')}
      </MenuItem>
      <MenuItem id="up" isDisabled={isFirst} shortcut="Alt ↑">
        {t('Move up')}
      </MenuItem>
      <MenuItem id="down" isDisabled={isLast} shortcut="Alt ↓">
        {t('Move down')}
      </MenuItem>
      <MenuItem id="delete" isDangerous>
        {t('Delete')}
      </MenuItem>
    </MenuButton>
  )
}
