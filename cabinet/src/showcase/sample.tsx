import type { ReactNode } from 'react'

/** A part of the page, with its title. */
export function Sample({
  title,
  children,
  isWide,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly isWide?: boolean
}) {
  return (
    <section className={isWide ? 'panel two' : 'panel'}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      <div className="panel-body stack stack-3">{children}</div>
    </section>
  )
}
