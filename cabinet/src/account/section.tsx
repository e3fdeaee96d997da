import { type ReactNode, useId } from 'react'

interface SectionProps {
  readonly title: string
  readonly note?: string
  readonly children: ReactNode
}

/** A part of the page with a line around it. */
export function Section({ title, note, children }: SectionProps) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className="muted">{note}</span>}
      </div>
      <div className="panel-body stack">{children}</div>
    </section>
  )
}
