import { Check, CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Label, ProgressBar } from 'react-aria-components'
import type { Meaning } from './labels.tsx'

interface BannerProps {
  readonly meaning?: Exclude<Meaning, 'plain'>
  readonly children: ReactNode
  /** A button at its end. */
  readonly action?: ReactNode
  /** It is read out at once, because it answers what was just done. */
  readonly isAlert?: boolean
}

const icons = { info: Info, success: Check, warning: TriangleAlert, danger: CircleAlert }

/** A sentence about the page, or about what was just tried. */
export function Banner({ meaning = 'info', children, action, isAlert = false }: BannerProps) {
  const Icon = icons[meaning]
  return (
    <div className={meaning === 'info' ? 'banner' : `banner banner-${meaning}`} role={isAlert ? 'alert' : undefined}>
      <Icon className="icon" />
      <div>{children}</div>
      {action === undefined ? null : <span className="push">{action}</span>}
    </div>
  )
}

interface EmptyProps {
  readonly icon: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** What a list shows when it has nothing, with what to do about it. */
export function Empty({ icon, title, children, actions }: EmptyProps) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div className="row-flex">{actions}</div>}
    </div>
  )
}

/** Stands where a text will be. What it is in says `aria-busy`. */
export function Skeleton() {
  return <span className="skeleton" />
}

interface ProgressProps {
  readonly label: string
  readonly value: number
  readonly most: number
  /** `2,480 of 4,000`. */
  readonly text: string
}

/** How far a job has come. */
export function Progress({ label, value, most, text }: ProgressProps) {
  return (
    <ProgressBar value={value} maxValue={most} valueLabel={text} className="progress">
      <span className="row-flex">
        <Label className="strong">{label}</Label>
        <span className="muted push">{text}</span>
      </span>
      <svg className="progress-track" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={most === 0 ? 0 : (value / most) * 100} height="6" />
      </svg>
    </ProgressBar>
  )
}
