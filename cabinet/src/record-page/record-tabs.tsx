import { Suspense } from 'react'
import { lazyPart, Tabs } from '../components/index.ts'
import type { Editing } from '../editing/use-editing.tsx'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { Activities, useActivities } from './activities.tsx'
import { AsOfSlider } from './as-of.tsx'
import { Timeline } from './timeline.tsx'
import type { History } from './use-history.ts'

const DealItems = lazyPart(async () => (await import('../deal-items/deal-items.tsx')).DealItems)

interface TabsProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly history: History
  readonly version: number | null
  readonly onVersion: (version: number | null) => void
  readonly editing: Editing
  readonly onChanged: () => void
}

/** What happened to the record, and what people noted about it. */
export function RecordTabs({ kind, record, history, version, onVersion, editing, onChanged }: TabsProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const activities = useActivities(organization.id, kind, record.id)
  const changes = {
    id: 'timeline',
    title: t('Timeline'),
    content: (
      <>
        <AsOfSlider record={record} version={version} onVersion={onVersion} />
        <Timeline kind={kind} record={record} history={history} editing={editing} onChanged={onChanged} />
      </>
    ),
  }
  const notes = {
    id: 'activities',
    title: t('Notes and activities'),
    content: <Activities kind={kind} id={record.id} activities={activities} onChanged={onChanged} />,
  }
  const items = {
    id: 'items',
    title: t('Items'),
    content: (
      <Suspense>
        <DealItems deal={record} />
      </Suspense>
    ),
  }
  const pages = {
    contacts: [changes, notes],
    companies: [changes, notes],
    deals: [changes, notes, items],
    tasks: [changes],
  }
  return <Tabs label={t('What happened')} pages={pages[kind]} />
}
