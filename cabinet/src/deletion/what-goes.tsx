import { Banner } from '../components/index.ts'
import { formatNumber } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { RemovalBlocker, RemovalPreview } from './removal.ts'

const goes = {
  contacts:
    'Names, contact data, notes, activities and files go, in the history as well. The records that name the contact stay without it.',
  companies: 'Notes, activities and files go with it. The records that name the company stay without it.',
  deals: 'Items, notes, activities and files go with it. Contacts, companies and tasks stay without it.',
  tasks: 'Checklists and files go with it. Contacts, companies and deals stay.',
} as const satisfies Record<Kind, Text>

/** What goes with a record of a kind, and that it does not come back. */
export function WhatGoes({ kind }: { readonly kind: Kind }) {
  const { t } = useWorkspace().showing.words
  return (
    <>
      <p>{t(goes[kind])}</p>
      <p className="strong">{t('This cannot be undone.')}</p>
    </>
  )
}

const linkNames: Readonly<Record<string, Text>> = {
  contacts: 'Contacts',
  companies: 'Companies',
  deals: 'Deals',
  tasks: 'Tasks',
  activities: 'Activities',
  contactActivities: 'Activities',
  companyActivities: 'Activities',
  contactFiles: 'Files',
  companyFiles: 'Files',
}

/** How many there are of what is linked with the record. */
export function LinkCounts({ links }: Pick<RemovalPreview, 'links'>) {
  const { t, language } = useWorkspace().showing.words
  const shown = Object.entries(links).flatMap(([name, { count }]) => {
    const text = linkNames[name]
    return text === undefined || count === 0 ? [] : [{ name, title: t(text), count: formatNumber(count, language) }]
  })
  if (shown.length === 0) return null
  return (
    <dl className="facts">
      {shown.map(({ name, title, count }) => (
        <div key={name} className="fact">
          <dt>{title}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  )
}

const reasons: Readonly<Record<string, Text>> = {
  deal_party_required:
    '{count, plural, one {One deal names} other {# deals name}} no other contact or company, and cannot be without. Link another one first.',
  too_many_links: 'More records are linked with it than one deletion may change: {count}.',
}

/** Why it cannot be deleted. */
export function Blockers({ blockers }: { readonly blockers: readonly RemovalBlocker[] }) {
  const { t, language } = useWorkspace().showing.words
  return blockers.map(({ code, count = 0 }) => {
    const reason = reasons[code]
    const values = code === 'too_many_links' ? { count: formatNumber(count, language) } : { count }
    return (
      <Banner key={code} meaning="danger" isAlert>
        {reason === undefined ? code : t(reason, values)}
      </Banner>
    )
  })
}
