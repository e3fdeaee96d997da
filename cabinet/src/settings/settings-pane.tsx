import { ChevronLeft } from 'lucide-react'
import { Children, type ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { FailureBanner, Skeleton } from '../components/index.ts'

interface SettingsPaneProps {
  readonly title: string
  /** A few words beside the title. */
  readonly note?: ReactNode
  /** The page that it belongs to. */
  readonly above?: { readonly href: string; readonly name: string }
  readonly actions?: ReactNode
  /** Why what it shows could not be read. */
  readonly error: Error | null
  /** What is shown; nothing until it is read. */
  readonly children: ReactNode
}

/** A page of the settings: its title, what can be done on it, and what it shows. */
export function SettingsPane({ title, note, above, actions, error, children }: SettingsPaneProps) {
  const isRead = Children.toArray(children).length > 0
  return (
    <main className="pane">
      <title>{title}</title>
      {above === undefined ? null : (
        <p className="pane-above">
          <Link className="crumb" href={above.href}>
            <ChevronLeft className="icon" />
            {above.name}
          </Link>
        </p>
      )}
      <div className="page-head">
        <h1>{title}</h1>
        {note === undefined ? null : <span className="muted">{note}</span>}
        <div className="page-actions">{actions}</div>
      </div>
      <div className="page-body stack stack-6" aria-busy={!isRead && error === null}>
        <FailureBanner error={error} />
        {isRead || error !== null ? children : <Skeleton />}
      </div>
    </main>
  )
}
