import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, memo, useRef, useState } from 'react'
import { Avatar } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { parseMoney, parseNumber, typedMoney } from '../format/formats.ts'
import type { FieldDefinition } from '../records/field.ts'
import { CellValue, textOf } from '../records/field-value.tsx'
import { otherStatus } from '../records/fields-of-tasks.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { labelOf, nameOfRecord } from '../records/labels.ts'
import { type Json, type RecordState, read } from '../records/record.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { RecordPlace } from './grid-keys.rules.ts'

interface RowProps {
  readonly id: string
  readonly kind: Kind
  readonly index: number
  readonly record: RecordState
  readonly columns: readonly FieldDefinition[]
  readonly workspace: Workspace
  readonly isNarrow: boolean
  readonly isSelected: boolean
  /** Whether the record is open beside the list. */
  readonly isOpen: boolean
  /** The column that has the focus; -1 where another row has it. */
  readonly activeColumn: number
  /** The column that is edited. */
  readonly editedPath: string | undefined
  readonly onSelect: (ids: readonly string[], isSelected: boolean) => void
  readonly onOpen: (record: RecordState) => void
  readonly onPlace: (place: RecordPlace) => void
  /** Ends the editing of a cell; without a value it stays as it was. */
  readonly onCommit: (record: RecordState, path: string, value: Json | undefined) => void
}

/** One row of a list. It is drawn anew only when something of it has changed. */
export const GridRow = memo(function GridRow(props: RowProps) {
  const {
    id,
    kind,
    index,
    record,
    columns,
    workspace,
    isNarrow,
    isSelected,
    isOpen,
    activeColumn,
    editedPath,
    onSelect,
    onPlace,
  } = props
  const name = nameOfRecord(kind, record)
  return (
    <tr aria-rowindex={index + 2} aria-selected={isSelected} aria-current={isOpen ? true : undefined}>
      <td>
        <input
          type="checkbox"
          className="row-check"
          tabIndex={-1}
          aria-label={workspace.showing.words.t('Select {name}', { name })}
          checked={isSelected}
          onChange={() => onSelect([record.id], !isSelected)}
        />
      </td>
      {columns.map((field, column) => {
        const isActive = column === activeColumn
        if (field.path === editedPath) return <EditedCell key={field.path} {...props} field={field} name={name} />
        return (
          <td
            key={field.path}
            id={`${id}-${record.id}-${column}`}
            className={classesOf(field, column, isActive)}
            onMouseDown={() => onPlace({ row: index, column, id: record.id })}
          >
            {column === 0 ? <FirstCell {...props} name={name} field={field} /> : <Cell {...props} field={field} />}
            {column === 0 && isNarrow ? <SecondLine {...props} /> : null}
          </td>
        )
      })}
    </tr>
  )
})

function classesOf(field: FieldDefinition, column: number, isActive: boolean): string {
  const classes = [column === 0 ? '' : 'col-wide', isActive ? 'cell-focus' : '', isNumeric(field) ? 'num' : '']
  return classes.filter(name => name !== '').join(' ')
}

type CellProps = RowProps & { readonly field: FieldDefinition }

function Cell({ field, record, workspace }: CellProps) {
  const owner = field.widget === 'operator' ? read(record, field.path) : undefined
  if (typeof owner !== 'string') return <CellValue field={field} record={record} showing={workspace.showing} />
  const name = operatorName(workspace.directories, owner)
  return (
    <span className="row-flex">
      {name === undefined ? null : <Avatar name={name} id={owner} />}
      <span>{name ?? workspace.showing.words.t('Unknown')}</span>
    </span>
  )
}

/** The name of the record, which leads to its page; in front of a task, whether it is done. */
function FirstCell({ kind, record, name, workspace, onOpen, onCommit }: CellProps & { readonly name: string }) {
  const router = useRouter()
  const href = router.history.createHref(`/cabinet/o/${workspace.organization.id}/${kind}/${record.id}`)
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onOpen(record)
  }
  const hasAvatar = kind === 'contacts' || kind === 'companies'
  return (
    <span className="row-flex">
      {kind === 'tasks' ? (
        <input
          type="checkbox"
          className="task-check"
          tabIndex={-1}
          aria-label={workspace.showing.words.t('Done: {name}', { name })}
          checked={record.status === 'done'}
          disabled={!workspace.may(kindFacts.tasks.write)}
          onChange={() => onCommit(record, 'status', otherStatus(record))}
        />
      ) : null}
      {hasAvatar ? <Avatar name={name} id={record.id} isSquare={kind === 'companies'} /> : null}
      <a href={href} tabIndex={-1} onClick={open}>
        {name}
      </a>
    </span>
  )
}

/** What the narrow list shows below the name: the next two columns that have a value. */
function SecondLine({ columns, record, workspace }: RowProps) {
  const texts = columns
    .slice(1)
    .filter(({ widget }) => widget !== 'tags' && widget !== 'operator')
    .map(field => textOf(read(record, field.path), field, record, workspace.showing))
    .filter(text => text !== '')
  return <span className="sub">{texts.slice(0, 2).join(' · ')}</span>
}

/**
 * A cell while it is edited: Enter and Tab keep what is typed, Esc restores what was there. It is committed against the record that the
 * editor began with, so that a change of others in the meantime is a conflict.
 */
function EditedCell({ field, record: latest, name, workspace, onCommit }: CellProps & { readonly name: string }) {
  const { t, language } = workspace.showing.words
  const [record] = useState(latest)
  const [shown] = useState(() => typedOf(read(record, field.path), field, language))
  const [typed, setTyped] = useState(shown)
  const isDone = useRef(false)
  const end = (next: Json | undefined) => {
    // A field that goes away may still tell that it has lost the focus.
    if (isDone.current) return
    isDone.current = true
    onCommit(record, field.path, next)
  }
  const commit = () => {
    const text = typed.trim()
    if (text === shown.trim()) end(undefined)
    else end(text === '' ? null : valueOf(text, field, language))
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      end(undefined)
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault()
      commit()
    }
  }
  const isDate = field.widget === 'date' || (field.widget === 'due' && typed.length <= 10)
  return (
    <td className="col-wide cell-edit">
      <input
        aria-label={t('{field} of {name}', { field: labelOf(field.path, t, workspace.directories), name })}
        value={typed}
        type={isDate ? 'date' : 'text'}
        maxLength={field.max}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={press}
        onBlur={commit}
        autoFocus
      />
    </td>
  )
}

/** A value as people type it. */
function typedOf(value: Json | undefined, { widget }: FieldDefinition, language: string): string {
  if (value === undefined || value === null) return ''
  return widget === 'amount' ? typedMoney(String(value), language) : String(value)
}

function valueOf(text: string, { widget }: FieldDefinition, language: string): Json {
  if (widget === 'amount') return parseMoney(text, language)
  return widget === 'integer' ? parseNumber(text, language) : text
}

/** Whether values stand at the end of their column. */
export function isNumeric({ widget }: FieldDefinition): boolean {
  return widget === 'amount' || widget === 'integer' || widget === 'moment' || widget === 'number'
}
