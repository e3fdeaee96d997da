import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Banner, IconButton, Skeleton } from '../components/index.ts'
import { NameDialog } from '../parts/name-dialog.tsx'
import { partsKey, usePartChanges } from '../parts/use-part-changes.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { checklistRequests, longest, readChecklists } from './checklist.ts'
import { ChecklistView } from './checklist-view.tsx'
import './checklists.css'

/** The checklists of a task. Space ticks, Enter adds or changes, Alt and the arrows move. */
export function Checklists({ task }: { readonly task: string }) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const mayWrite = may('crm_tasks_write')
  const [isAdding, setAdding] = useState(false)
  const { data, error } = useQuery({
    queryKey: [...partsKey(organization.id, 'tasks', task), 'checklists'],
    queryFn: ({ signal }) => readChecklists(organization.id, task, signal),
  })
  const change = usePartChanges('tasks', task)
  const requests = checklistRequests(organization.id, task)
  return (
    <section className="section" aria-labelledby="checklists" aria-busy={data === undefined && error === null}>
      <div className="section-head">
        <h2 id="checklists">{t('Checklists')}</h2>
        {mayWrite ? (
          <IconButton isSmall label={t('New checklist')} onPress={() => setAdding(true)}>
            <Plus className="icon icon-small" />
          </IconButton>
        ) : null}
      </div>
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {data === undefined && error === null ? <Skeleton /> : null}
      {data?.length === 0 ? <p className="muted">–</p> : null}
      {data?.map(checklist => (
        <ChecklistView key={checklist.id} task={task} checklist={checklist} change={change} mayWrite={mayWrite} />
      ))}
      {isAdding ? (
        <NameDialog
          title={t('New checklist')}
          label={t('Title')}
          value=""
          maxLength={longest.title}
          onSave={title => change(() => requests.add(title))}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </section>
  )
}
