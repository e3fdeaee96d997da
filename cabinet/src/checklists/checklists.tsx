import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Banner, IconButton, Skeleton } from '../components/index.ts'
import { NameDialog } from '../parts/name-dialog.tsx'
import { underOneKey } from '../parts/under-one-key.ts'
import { partsKey, usePartChanges } from '../parts/use-part-changes.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
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
  /** The checklist that is being added, under its title: nobody knows whether it was if the server did not answer. */
  const adding = useRef<{ readonly title: string; readonly send: () => Promise<unknown> }>(undefined)
  const add = (title: string) => {
    if (adding.current?.title !== title) {
      adding.current = { title, send: underOneKey(key => requests.add(title, key)) }
    }
    return change(adding.current.send)
  }
  const section = useRef<HTMLElement>(null)
  const withFocus = useRemovalFocus(data ?? [], checklist =>
    section.current
      ?.querySelector<HTMLElement>(checklist === undefined ? 'button' : `[data-checklist="${checklist.id}"] button`)
      ?.focus(),
  )
  const open = () => {
    adding.current = undefined
    setAdding(true)
  }
  return (
    <section
      ref={section}
      className="section"
      aria-labelledby="checklists"
      aria-busy={data === undefined && error === null}
    >
      <div className="section-head">
        <h2 id="checklists">{t('Checklists')}</h2>
        {mayWrite ? (
          <IconButton isSmall label={t('New checklist')} onPress={open}>
            <Plus className="icon icon-small" />
          </IconButton>
        ) : null}
      </div>
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {data === undefined && error === null ? <Skeleton /> : null}
      {data?.length === 0 ? <p className="muted">–</p> : null}
      {data?.map(checklist => (
        <ChecklistView
          key={checklist.id}
          task={task}
          checklist={checklist}
          change={change}
          mayWrite={mayWrite}
          onRemove={remove => withFocus(checklist, remove)}
        />
      ))}
      {isAdding ? (
        <NameDialog
          title={t('New checklist')}
          label={t('Title')}
          value=""
          draft={`tasks/${task}/new-checklist`}
          maxLength={longest.title}
          onSave={add}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </section>
  )
}
