import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { Fragment, type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { useSingleKeys } from '../preferences/index.ts'
import type { FieldDefinition } from '../records/field.ts'
import { otherStatus } from '../records/fields-of-tasks.ts'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import type { Json, RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { actionOf, type CellPlace, type RecordPlace, rowOf } from './grid-keys.rules.ts'
import { GridRow, isNumeric } from './grid-row.tsx'
import type { SelectedRecords } from './selected.rules.ts'
import { useIsNarrow } from './use-media.ts'

export interface GridProps {
  readonly kind: Kind
  readonly label: string
  readonly rows: readonly RecordState[]
  readonly columns: readonly FieldDefinition[]
  readonly sort: string
  readonly selected: SelectedRecords
  /** The record that is open beside the list. */
  readonly opened: string | undefined
  readonly isBusy: boolean
  /** Whether there are more rows than those that are here. */
  readonly hasMore: boolean
  readonly mayEdit: boolean
  readonly onSort: (sort: string) => void
  readonly onSelect: (ids: readonly string[], isSelected: boolean) => void
  readonly onOpen: (record: RecordState) => void
  /** Called when a key leads to another row. */
  readonly onGo: (record: RecordState) => void
  readonly onEdit: (record: RecordState) => void
  readonly onCommit: (record: RecordState, path: string, value: Json) => void
  /** Called when the rows that are here come to their end. */
  readonly onEnd: () => void
  readonly onVisible: (ids: readonly string[]) => void
}

const rowHeight = { wide: 33, narrow: 52 }
/** How far before the end the next rows are asked for. */
const ahead = 60
/** How many rows beyond those in sight are in the page. */
const overscan = 10

/** The rows of a list. Only those in sight are in the page; the focus is the grid's, and `aria-activedescendant` says where it stands. */
export function Grid(props: GridProps) {
  const { kind, label, rows, columns, sort, selected, isBusy, hasMore, mayEdit } = props
  const workspace = useWorkspace()
  const hasLetters = useSingleKeys()
  const isNarrow = useIsNarrow()
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<RecordPlace>({ row: 0, column: 0, id: undefined })
  /** The cell that is edited, wherever its row goes. */
  const [edited, setEdited] = useState<{ readonly id: string; readonly path: string }>()
  const grid = useRef<HTMLTableElement>(null)
  const editedRow = edited === undefined ? -1 : rows.findIndex(record => record.id === edited.id)
  const isEditing = editedRow !== -1
  useEffect(() => {
    if (!isEditing) setEdited(undefined)
  }, [isEditing])
  // A row that is edited stays in the page out of sight too, with what is typed in it.
  const rangeOf = useCallback((range: Range) => withRow(defaultRangeExtractor(range), editedRow), [editedRow])
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan,
    rangeExtractor: rangeOf,
    scrollPaddingStart: isNarrow ? 0 : rowHeight.wide,
  })
  useEffect(() => virtual.measure(), [virtual, height])
  const items = virtual.getVirtualItems()
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {}
  const [first, last] = [Math.max(0, startIndex - overscan), Math.min(rows.length - 1, endIndex + overscan)]
  const { onEnd, onVisible } = props
  useEffect(() => {
    if (hasMore && last >= rows.length - ahead) onEnd()
    onVisible(rows.slice(first, last + 1).map(record => record.id))
  }, [hasMore, first, last, rows, onEnd, onVisible])

  const row = rowOf(place, rows)
  const go = (to: CellPlace) => {
    const record = rows[to.row]
    setPlace({ ...to, id: record?.id })
    virtual.scrollToIndex(to.row, { align: 'auto' })
    if (record !== undefined) props.onGo(record)
  }
  const { opened } = props
  const openedRow = rows.findIndex(record => record.id === opened)
  useEffect(() => {
    if (opened === undefined || openedRow === -1) return
    setPlace(({ column }) => ({ row: openedRow, column, id: opened }))
    virtual.scrollToIndex(openedRow, { align: 'auto' })
    // It follows the record that is opened; rows that come or go lead nowhere.
  }, [opened, openedRow === -1])
  const press = (event: KeyboardEvent) => {
    if (isEditing || event.target !== grid.current) return
    const record = rows[row]
    const column = columns[place.column]
    const isEditable = mayEdit && column?.column?.inline === true && place.column > 0
    const shape = { rows: rows.length, columns: columns.length, page: endIndex - startIndex, isEditable, hasLetters }
    const action = actionOf(event, { row, column: place.column }, shape)
    if (action === undefined || record === undefined) return
    // With nothing selected, Escape is for what stands beside the list.
    if (action.do === 'leave' && selected.size === 0) return
    event.preventDefault()
    if (action.do === 'go') return go(action.to)
    if (action.do === 'open') return props.onOpen(record)
    if (action.do === 'edit') return mayEdit ? props.onEdit(record) : undefined
    if (action.do === 'complete')
      return mayEdit && kind === 'tasks' ? props.onCommit(record, 'status', otherStatus(record)) : undefined
    if (action.do === 'edit-cell') {
      setPlace({ row, column: place.column, id: record.id })
      return setEdited({ id: record.id, path: column?.path ?? '' })
    }
    if (action.do === 'select') return props.onSelect([record.id], !selected.has(record.id))
    if (action.do === 'leave') return props.onSelect([...selected.keys()], false)
    const to = {
      row: Math.max(0, Math.min(rows.length - 1, row + (action.do === 'select-range-down' ? 1 : -1))),
      column: place.column,
    }
    props.onSelect([record.id, rows[to.row]?.id ?? record.id], true)
    go(to)
  }
  // Rows are drawn anew only when something of them has changed, so what they call stays the same.
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const select = useCallback<GridProps['onSelect']>((ids, isSelected) => latest.current.onSelect(ids, isSelected), [])
  const commit = useCallback((record: RecordState, path: string, value: Json | undefined) => {
    setEdited(undefined)
    // The keys go on here, unless what was pressed is elsewhere.
    if (grid.current?.contains(document.activeElement) === true) grid.current.focus()
    if (value !== undefined) latest.current.onCommit(record, path, value)
  }, [])

  const after = Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0))
  const isAll = rows.length > 0 && rows.every(record => selected.has(record.id))
  return (
    <div ref={scroller} className="grid-scroll">
      <table
        ref={grid}
        role="grid"
        tabIndex={0}
        className="grid"
        aria-label={label}
        aria-busy={isBusy}
        aria-multiselectable="true"
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={rows.length > 0 && !isEditing ? `${id}-${rows[row]?.id}-${place.column}` : undefined}
        onKeyDown={press}
      >
        <colgroup>
          <col className="c-check" />
          {columns.map((field, index) => (
            <col
              key={field.path}
              className={index === 0 ? '' : 'col-wide'}
              {...(isNarrow ? {} : { width: field.column?.width ?? 140 })}
            />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <input
                type="checkbox"
                className="row-check"
                tabIndex={-1}
                aria-label={workspace.showing.words.t('Select all rows')}
                checked={isAll}
                onChange={() =>
                  props.onSelect(
                    rows.map(record => record.id),
                    !isAll,
                  )
                }
              />
            </th>
            {columns.map((field, index) => (
              <HeadCell key={field.path} field={field} isWide={index > 0} sort={sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(({ index, start }, drawn) => {
            const record = rows[index]
            if (record === undefined) return null
            return (
              <Fragment key={record.id}>
                <Space height={start - (items[drawn - 1]?.end ?? 0)} />
                <GridRow
                  id={id}
                  kind={kind}
                  index={index}
                  record={record}
                  columns={columns}
                  workspace={workspace}
                  isNarrow={isNarrow}
                  isSelected={selected.has(record.id)}
                  isOpen={record.id === opened}
                  activeColumn={index === row ? place.column : -1}
                  editedPath={index === editedRow ? edited?.path : undefined}
                  onSelect={select}
                  onOpen={props.onOpen}
                  onPlace={setPlace}
                  onCommit={commit}
                />
              </Fragment>
            )
          })}
          <Space height={after} />
        </tbody>
      </table>
    </div>
  )
}

/** The rows to draw with one more, in their order. */
function withRow(indexes: number[], row: number): number[] {
  return row === -1 || indexes.includes(row) ? indexes : [...indexes, row].toSorted((one, other) => one - other)
}

/** Stands for the rows out of sight. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true" role="presentation" className="grid-space">
      <td height={height} />
    </tr>
  )
}

interface HeadProps {
  readonly field: FieldDefinition
  readonly isWide: boolean
  readonly sort: string
  readonly onSort: (sort: string) => void
}

/** The head of a column. Pressing it orders the list: upwards, downwards, and as it was. */
function HeadCell({ field, isWide, sort, onSort }: HeadProps) {
  const { showing, directories, may } = useWorkspace()
  const { t } = showing.words
  const order = field.column?.order
  const label = labelOf(field.path, t, directories)
  const direction = sort === order ? 'ascending' : sort === `-${order}` ? 'descending' : undefined
  const isHidden = field.scope !== undefined && !may(field.scope)
  const classes = [isWide ? 'col-wide' : '', isNumeric(field) ? 'num' : ''].join(' ').trim()
  const next = direction === undefined ? order : direction === 'ascending' ? `-${order}` : ''
  return (
    <th scope="col" className={classes} aria-sort={direction}>
      {order === undefined || isHidden ? (
        label
      ) : (
        <button type="button" tabIndex={-1} onClick={() => onSort(next ?? '')}>
          {label}
          {direction === 'ascending' ? <ArrowUp className="icon icon-small" /> : null}
          {direction === 'descending' ? <ArrowDown className="icon icon-small" /> : null}
        </button>
      )}
    </th>
  )
}
