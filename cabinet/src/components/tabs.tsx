import type { ReactNode } from 'react'
import { Tabs as AriaTabs, type TabsProps as AriaTabsProps, Tab, TabList, TabPanel } from 'react-aria-components'

interface Page {
  readonly id: string
  readonly title: string
  readonly count?: string | number | undefined
  readonly content: ReactNode
}

interface TabsProps extends Omit<AriaTabsProps, 'className' | 'style' | 'children'> {
  readonly label: string
  readonly pages: readonly Page[]
}

/** Several contents in one place, one of them in sight. */
export function Tabs({ label, pages, ...props }: TabsProps) {
  return (
    <AriaTabs {...props} className="tab-pages">
      <TabList aria-label={label} className="tabs" items={pages}>
        {({ id, title, count }) => (
          <Tab id={id} className="tab">
            {title}
            {count === undefined ? null : <span className="count">{count}</span>}
          </Tab>
        )}
      </TabList>
      {pages.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-page">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
