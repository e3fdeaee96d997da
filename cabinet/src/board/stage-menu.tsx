import { useRef } from 'react'
import { Menu, Popover } from 'react-aria-components'
import { MenuItem, MenuSection } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface StageMenuProps {
  readonly label: string
  /** What the menu stands beside. */
  readonly beside: HTMLElement
  /** The stage that the deal is in. */
  readonly current: string
  readonly onChoose: (stageUuid: string) => void
  readonly onClose: () => void
}

/** The stages that a card can be moved to, beside the card. */
export function StageMenu({ label, beside, current, onChoose, onClose }: StageMenuProps) {
  const { directories } = useWorkspace()
  const anchor = useRef(beside)
  return (
    <Popover
      isOpen
      triggerRef={anchor}
      className="menu"
      offset={4}
      placement="bottom start"
      aria-label={label}
      onOpenChange={isOpen => (isOpen ? undefined : onClose())}
    >
      <Menu
        aria-label={label}
        className="menu-list"
        autoFocus="first"
        disabledKeys={[current]}
        onAction={key => {
          onChoose(String(key))
          onClose()
        }}
      >
        {directories.pipelines.map(({ id, name, stages }) => (
          <MenuSection key={id} title={name}>
            {stages.map(({ uuid, name: stage }) => (
              <MenuItem key={uuid} id={uuid}>
                {stage}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Popover>
  )
}
