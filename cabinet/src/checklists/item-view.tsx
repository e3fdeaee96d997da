import { type KeyboardEvent, useState } from 'react'
import { Checkbox } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { formatMoment } from '../format/formats.ts'
import { NameDialog } from '../parts/name-dialog.tsx'
import { type RowAction, RowMenu } from '../parts/row-menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ChecklistItem, longest } from './checklist.ts'
import type { ItemActions } from './checklist-view.tsx'

interface ItemProps {
  readonly items: readonly ChecklistItem[]
  readonly item: ChecklistItem
  readonly actions: ItemActions
  readonly mayWrite: boolean
}

/** One point of a checklist, and who ticked it when. */
export function ItemView({ items, item, actions, mayWrite }: ItemProps) {
  const { t } = useWorkspace().showing.words
  const [isWriting, setWriting] = useState(false)
  const isDone = actions.isDone(item)
  const act = (action: RowAction) => {
    if (action === 'edit') setWriting(true)
    if (action === 'up') void actions.move(item, -1)
    if (action === 'down') void actions.move(item, 1)
    if (action === 'delete') void actions.remove(item)
  }
  const press = (event: KeyboardEvent) => {
    if (!mayWrite || !(event.target instanceof HTMLInputElement)) return
    const action = actionOfKey(event)
    if (action === undefined) return
    event.preventDefault()
    act(action)
  }
  return (
    <li className="checklist-item" data-item={item.id}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the box in it. */}
      <div className="checklist-box" onKeyDown={press}>
        <Checkbox isSelected={isDone} isReadOnly={!mayWrite} onChange={isTicked => void actions.tick(item, isTicked)}>
          <span className={isDone ? 'long-text is-ticked' : 'long-text'}>{item.text}</span>
        </Checkbox>
        <DoneBy item={item} />
      </div>
      {mayWrite ? (
        <RowMenu
          name={item.text}
          isFirst={items[0] === item}
          isLast={items.at(-1) === item}
          editKey="Enter"
          onAct={act}
        />
      ) : null}
      {isWriting ? (
        <NameDialog
          title={t('Edit point')}
          label={t('Text')}
          value={item.text}
          draft={`checklist-item/${item.id}`}
          maxLength={longest.text}
          {...(item.text.includes('\n') ? { rows: 3 } : {})}
          onSave={text => actions.write(item, text)}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </li>
  )
}

/** What a key does on the box of a point; Space ticks it, as on any box. */
function actionOfKey({ key, altKey }: KeyboardEvent): RowAction | undefined {
  if (altKey) return key === 'ArrowUp' ? 'up' : key === 'ArrowDown' ? 'down' : undefined
  return key === 'Enter' ? 'edit' : undefined
}

function DoneBy({ item: { doneAt, doneByUuid } }: { readonly item: ChecklistItem }) {
  const { showing, directories } = useWorkspace()
  if (doneAt === null) return null
  const { language } = showing.words
  const who = doneByUuid == null ? undefined : operatorName(directories, doneByUuid)
  return (
    <span className="sub">
      {who === undefined ? '' : `${who}, `}
      <time dateTime={doneAt}>{formatMoment(doneAt, language)}</time>
    </span>
  )
}
