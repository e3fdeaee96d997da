import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps, Link, type LinkProps } from 'react-aria-components'
import { Key } from './key.tsx'
import { Tooltip } from './tooltip.tsx'

/** `primary` is the main action, one on a page; `danger` is for what cannot be taken back. */
export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-quiet'

interface Looks {
  readonly look?: ButtonLook
  readonly isSmall?: boolean
  readonly isWide?: boolean
  /** Shown beside the text. The component that shows it also listens to it. */
  readonly shortcut?: string
}

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'>, Looks {
  readonly children: ReactNode
}

/** A button with a text. While `isPending` it stays in place, and does nothing. */
export function Button({ look, isSmall, isWide, shortcut, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={classesOf({ look, isSmall, isWide })}>
      {children}
      {shortcut === undefined ? null : <Key>{shortcut}</Key>}
    </AriaButton>
  )
}

interface ButtonLinkProps extends Omit<LinkProps, 'className' | 'style' | 'children'>, Looks {
  readonly children: ReactNode
}

/** A link that looks like a button: it leads to another page. */
export function ButtonLink({ look, isSmall, isWide, shortcut, children, ...props }: ButtonLinkProps) {
  return (
    <Link {...props} className={classesOf({ look, isSmall, isWide })}>
      {children}
      {shortcut === undefined ? null : <Key>{shortcut}</Key>}
    </Link>
  )
}

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** The name of the action; it is the tooltip too. */
  readonly label: string
  readonly isSmall?: boolean
  readonly children: ReactNode
}

/** A button with an icon alone. */
export function IconButton({ label, isSmall, children, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <AriaButton {...props} aria-label={label} className={isSmall ? 'icon-btn icon-btn-small' : 'icon-btn'}>
        {children}
      </AriaButton>
    </Tooltip>
  )
}

function classesOf({ look = 'plain', isSmall, isWide }: Looks): string {
  const classes = ['btn', ...(look === 'plain' ? [] : [`btn-${look}`])]
  if (look === 'danger-quiet') classes.push('btn-quiet')
  if (isSmall) classes.push('btn-small')
  if (isWide) classes.push('btn-wide')
  return classes.join(' ')
}
