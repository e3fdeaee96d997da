import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { type RefObject, type SyntheticEvent, useId, useRef, useState } from 'react'
import { Input, TextField } from 'react-aria-components'
import { IconButton, MenuButton, MenuItem, showToast } from '../components/index.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { NameDialog } from '../parts/name-dialog.tsx'
import { underOneKey } from '../parts/under-one-key.ts'
import { partsKey, type usePartChanges } from '../parts/use-part-changes.ts'
import { useRemovalFocus } from '../parts/use-removal-focus.ts'
import { useTextDraft } from '../parts/use-text-draft.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type Checklist, type ChecklistItem, checklistRequests, longest, orderAfterMove } from './checklist.ts'
import { ItemView } from './item-view.tsx'

interface ChecklistProps {
  readonly task: string
  readonly checklist: Checklist
  readonly change: ReturnType<typeof usePartChanges>
  readonly mayWrite: boolean
  readonly onRemove: (remove: () => Promise<boolean>) => Promise<unknown>
}

/** One checklist with its points. */
export function ChecklistView({ task, checklist, change, mayWrite, onRemove }: ChecklistProps) {
  const { t } = useWorkspace().showing.words
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const actions = useActions({ task, checklist, change }, place)
  const [opened, setOpened] = useState<'rename' | 'delete'>()
  const done = checklist.items.filter(item => actions.isDone(item)).length
  return (
    <div ref={place} className="checklist" role="group" aria-labelledby={id} data-checklist={checklist.id}>
      <div className="checklist-head">
        <h3 id={id}>{checklist.title}</h3>
        <span className="muted">{t('{done} of {count}', { done, count: checklist.items.length })}</span>
        {mayWrite ? (
          <MenuButton
            label={t('More')}
            onAction={key => setOpened(key === 'rename' ? 'rename' : 'delete')}
            button={
              <IconButton isSmall label={t('More about {name}', { name: checklist.title })}>
                <Ellipsis className="icon icon-small" />
              </IconButton>
            }
          >
            <MenuItem id="rename">{t('Rename')}</MenuItem>
            <MenuItem id="delete" isDangerous>
              {t('Delete')}
            </MenuItem>
          </MenuButton>
        ) : null}
      </div>
      <ul className="checklist-items">
        {checklist.items.map(item => (
          <ItemView key={item.id} items={checklist.items} item={item} actions={actions} mayWrite={mayWrite} />
        ))}
      </ul>
      {mayWrite ? <AddItem name={checklist.title} place={`${task}/${checklist.id}`} onAdd={actions.add} /> : null}
      {opened === 'rename' ? (
        <NameDialog
          title={t('Rename')}
          label={t('Title')}
          value={checklist.title}
          draft={`checklist/${checklist.id}/title`}
          maxLength={longest.title}
          onSave={actions.rename}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {opened === 'delete' ? (
        <ConfirmDialog
          name={checklist.title}
          onDelete={() => onRemove(actions.removeAll)}
          onClose={() => setOpened(undefined)}
        >
          <p>
            {t('{count, plural, =0 {It is empty.} one {One point goes with it.} other {# points go with it.}}', {
              count: checklist.items.length,
            })}
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}

export type ItemActions = ReturnType<typeof useActions>

/** What can be done with the points of a checklist. Each change goes out from what the one before has left. */
function useActions(
  { task, checklist, change }: Omit<ChecklistProps, 'mayWrite' | 'onRemove'>,
  place: RefObject<HTMLElement | null>,
) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const requests = checklistRequests(organization.id, task)
  // A tick shows at once, also while others are still on their way.
  const [ticked, setTicked] = useState<ReadonlyMap<string, boolean>>(new Map())
  const latest = () => {
    const all = client.getQueryData<Checklist[]>([...partsKey(organization.id, 'tasks', task), 'checklists'])
    return all?.find(({ id }) => id === checklist.id) ?? checklist
  }
  const latestOf = (item: ChecklistItem) => latest().items.find(({ id }) => id === item.id) ?? item
  const focus = (item: { readonly id: string } | undefined) =>
    place.current
      ?.querySelector<HTMLElement>(item === undefined ? '.checklist-add input' : `[data-item="${item.id}"] input`)
      ?.focus()
  const withFocus = useRemovalFocus(checklist.items, focus)
  return {
    isDone: (item: ChecklistItem) => ticked.get(item.id) ?? item.isDone,
    async tick(item: ChecklistItem, isDone: boolean) {
      setTicked(before => new Map(before).set(item.id, isDone))
      await change(() => requests.changeItem(checklist, latestOf(item), { isDone }))
      setTicked(before => {
        if (before.get(item.id) !== isDone) return before
        const others = new Map(before)
        others.delete(item.id)
        return others
      })
    },
    add: (text: string, key: string) => change(() => requests.addItem(checklist, { text }, key)),
    write: (item: ChecklistItem, text: string) =>
      change(() => requests.changeItem(checklist, latestOf(item), { text })),
    async move(item: ChecklistItem, by: 1 | -1) {
      let order: readonly string[] | undefined
      const isMoved = await change(async () => {
        const ids = latest().items.map(({ id }) => id)
        order = orderAfterMove(ids, item.id, by)
        if (order !== undefined) await requests.reorder(latest(), order)
      })
      if (!isMoved || order === undefined) return
      const values = { name: item.text, place: order.indexOf(item.id) + 1, count: order.length }
      showToast({ text: t('{name} is now {place} of {count}', values) })
      focus(item)
    },
    async remove(item: ChecklistItem) {
      const position = latest().items.findIndex(({ id }) => id === item.id)
      if (!(await withFocus(item, () => change(() => requests.removeItem(checklist, latestOf(item)))))) return
      const { text, isDone } = item
      const restore = underOneKey(key => requests.addItem(checklist, { text, isDone, position }, key))
      const undo = { text: t('Undo'), onPress: () => void change(restore, undo) }
      showToast({ text: t('Deleted: {name}', { name: text }), action: undo })
    },
    rename: (title: string) => change(() => requests.rename(latest(), title)),
    removeAll: () => change(() => requests.remove(latest())),
  }
}

interface AddProps {
  readonly name: string
  readonly place: string
  readonly onAdd: (text: string, key: string) => Promise<boolean>
}

/** The line that adds a point: Enter adds it, and the line waits for the next one. */
function AddItem({ name, place, onAdd }: AddProps) {
  const { t } = useWorkspace().showing.words
  const [typed, setTyped] = useTextDraft(`checklist/${place}`)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [isAdding, setAdding] = useState(false)
  const type = (text: string) => {
    setTyped(text)
    setKey(crypto.randomUUID())
  }
  const add = async (event: SyntheticEvent) => {
    event.preventDefault()
    const text = typed.trim()
    if (text === '' || isAdding) return
    setAdding(true)
    if (await onAdd(text, key)) type('')
    setAdding(false)
  }
  return (
    <form onSubmit={event => void add(event)} className="checklist-add">
      <TextField
        aria-label={t('Add to {name}', { name })}
        value={typed}
        onChange={type}
        maxLength={longest.text}
        isReadOnly={isAdding}
        className="field"
      >
        <Input className="input" placeholder={t('Add a point')} enterKeyHint="done" />
      </TextField>
    </form>
  )
}
