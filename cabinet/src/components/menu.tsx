import type { ReactElement, ReactNode } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps as AriaMenuItemProps,
  type MenuProps as AriaMenuProps,
  MenuSection as AriaMenuSection,
  Header,
  MenuTrigger,
  Popover,
  type PopoverProps,
} from 'react-aria-components'
import { Key } from './key.tsx'

interface MenuButtonProps extends Pick<AriaMenuProps<object>, 'onAction' | 'children'> {
  readonly label: string
  /** What opens it. */
  readonly button: ReactElement
  readonly placement?: PopoverProps['placement']
}

/** A button that opens a menu of actions. */
export function MenuButton({ label, button, placement = 'bottom end', ...menu }: MenuButtonProps) {
  return (
    <MenuTrigger>
      {button}
      <Popover className="menu" offset={4} placement={placement}>
        <AriaMenu {...menu} aria-label={label} className="menu-list" />
      </Popover>
    </MenuTrigger>
  )
}

interface MenuItemProps extends Omit<AriaMenuItemProps, 'className' | 'style' | 'children'> {
  readonly children: string
  readonly icon?: ReactNode
  readonly isDangerous?: boolean
  readonly shortcut?: string
  /** What stands at the end of the line. */
  readonly end?: ReactNode
}

/** An action, or a place to go to when it has an `href`. */
export function MenuItem({ children, icon, isDangerous, shortcut, end, ...props }: MenuItemProps) {
  return (
    <AriaMenuItem {...props} textValue={children} className={isDangerous ? 'menu-item menu-item-danger' : 'menu-item'}>
      {icon}
      <span className="menu-text">{children}</span>
      {shortcut === undefined && end === undefined ? null : (
        <span className="push">
          {end}
          {shortcut === undefined ? null : <Key>{shortcut}</Key>}
        </span>
      )}
    </AriaMenuItem>
  )
}

/** Items under a title. */
export function MenuSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <AriaMenuSection className="menu-section">
      <Header className="menu-title">{title}</Header>
      {children}
    </AriaMenuSection>
  )
}
