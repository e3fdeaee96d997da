import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { Button, lazyPart } from '../components/index.ts'
import { allFields } from '../editing/custom-fields.ts'
import { EditingSurface } from '../editing/editing-surface.tsx'
import { usePageEditing } from '../editing/use-page-editing.ts'
import { useKeys } from '../keys/index.ts'
import { LiveDot } from '../live/index.ts'
import type { FieldDefinition } from '../records/field.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { newOfKind, titleOfKind } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { ColumnsButton, useChosenColumns } from './columns.tsx'
import { ListCount } from './count.tsx'
import { Grid } from './grid.tsx'
import { LayoutSwitch } from './layout-switch.tsx'
import { ListActions } from './list-actions.tsx'
import { ListBody } from './list-body.tsx'
import { ListFoot } from './list-foot.tsx'
import { type SelectedRecords, withoutRecords, withRecords } from './selected.rules.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'
import { useLiveList } from './use-live-list.ts'
import { useOpenRecord } from './use-open-record.ts'
import { rowsKey, useRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'
import { ViewTabs } from './view-tabs.tsx'

const RecordPanel = lazyPart(async () => (await import('../record-page/record-panel.tsx')).RecordPanel)

/** The list of a kind of records. What it shows stands in the address, and on a wide page the record that is open beside it. */
export function ListPage({ kind }: { readonly kind: Kind }) {
  const workspace = useWorkspace()
  const { organization, directories, showing, may } = workspace
  const { t } = showing.words
  const router = useRouter()
  const client = useQueryClient()
  const { selection, show } = useSelection(kind)
  const rows = useRows(organization.id, kind, selection)
  const [selected, setSelected] = useState<SelectedRecords>(new Map())
  const select = (ids: readonly string[], isSelected: boolean) => {
    if (!isSelected) return setSelected(before => withoutRecords(before, ids))
    const chosen = new Set(ids)
    setSelected(before =>
      withRecords(
        before,
        rows.rows.filter(({ id }) => chosen.has(id)),
      ),
    )
  }
  const live = useLiveList(organization.id, kind, selection, rows.rows, id => select([id], false))
  const [chosenColumns, chooseColumns] = useChosenColumns(kind)
  const mayWrite = may(kindFacts[kind].write)

  const refresh = () => {
    live.clear()
    // Later pages are read anew as they come into sight.
    return client.resetQueries({ queryKey: rowsKey(organization.id, kind, selection) })
  }
  const onSaved = (savedKind: Kind, record: RecordState, isNew: boolean) => {
    if (!isNew) {
      for (const part of ['sheet', 'history'])
        void client.invalidateQueries({ queryKey: [part, organization.id, savedKind, record.id] })
      return
    }
    live.forget(record.id)
    void client.invalidateQueries({ queryKey: ['count', organization.id, kind] })
    router.history.push(`/cabinet/o/${organization.id}/${kind}/${record.id}`)
  }
  const editing = usePageEditing({ onSaved, mayWrite })
  useKeys(mayWrite ? [{ keys: 'c', text: t(newOfKind[kind]), run: () => editing.openNew(kind) }] : [])
  useEffect(() => setSelected(new Map()), [kind, selection])

  const columns = useMemo(() => {
    const known = allFields(kind, directories)
    return chosenColumns
      .map(path => known.find(field => field.path === path))
      .filter((field): field is FieldDefinition => field !== undefined)
  }, [kind, directories, chosenColumns])
  const { opened, open, pass, close } = useOpenRecord(kind)
  const openRow = useCallback((record: RecordState) => open(record.id), [open])
  const openedRow = rows.rows.findIndex(record => record.id === opened)
  const leadTo = (record: RecordState | undefined) => (record === undefined ? undefined : () => pass(record.id))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, isTruncated, fetchNextPage } = rows
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isTruncated && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isTruncated, isFetchNextPageError, fetchNextPage])
  const title = t(titleOfKind[kind])

  return (
    <main className="main">
      <title>{`${title} · ${organization.name}`}</title>
      <div className="page-head">
        <h1>{title}</h1>
        <ListCount kind={kind} selection={selection} />
        <div className="page-actions">
          {kind === 'deals' ? <LayoutSwitch /> : null}
          <ListActions kind={kind} selection={selection} />
          {mayWrite ? (
            <Button look="primary" shortcut="C" onPress={() => editing.openNew(kind)}>
              <Plus className="icon" />
              {t(newOfKind[kind])}
            </Button>
          ) : null}
        </div>
      </div>
      <ViewTabs
        kind={kind}
        selection={selection}
        onShow={view => {
          show(view.selection)
          chooseColumns(view.columns)
        }}
      />
      <Toolbar
        kind={kind}
        selection={selection}
        onShow={show}
        columns={chosenColumns}
        added={live.added}
        onRefresh={() => void refresh()}
      >
        <ColumnsButton kind={kind} columns={chosenColumns} onChange={chooseColumns} />
      </Toolbar>
      <div className="list-beside">
        <div className="grid-wrap">
          <ListBody
            kind={kind}
            rows={rows}
            selection={selection}
            onShow={show}
            onNew={mayWrite ? () => editing.openNew(kind) : undefined}
          >
            <Grid
              kind={kind}
              label={title}
              rows={rows.rows}
              columns={columns}
              sort={selection.sort}
              selected={selected}
              isBusy={rows.isFetching}
              hasMore={rows.hasNextPage}
              mayEdit={mayWrite}
              onSort={sort => show({ ...selection, sort })}
              onSelect={select}
              opened={opened}
              onOpen={openRow}
              onGo={record => (opened === undefined ? undefined : pass(record.id))}
              onEdit={record => editing.openEdit(kind, record)}
              onCommit={(record, path, value) => void editing.change('cell', kind, record, new Map([[path, value]]))}
              onEnd={readOn}
              onVisible={live.note}
            />
          </ListBody>
          {selected.size > 0 ? (
            <SelectionBar
              kind={kind}
              rows={rows.rows}
              selected={selected}
              selection={selection}
              onAdd={records => setSelected(before => withRecords(before, records))}
              onUnselect={ids => select(ids, false)}
              onClear={() => setSelected(new Map())}
            />
          ) : null}
        </div>
        {opened === undefined ? null : (
          <Suspense>
            <RecordPanel
              kind={kind}
              id={opened}
              panel={{
                onPrevious: openedRow < 1 ? undefined : leadTo(rows.rows[openedRow - 1]),
                onNext: openedRow === -1 ? undefined : leadTo(rows.rows[openedRow + 1]),
                onClose: close,
              }}
            />
          </Suspense>
        )}
      </div>
      <ListFoot rows={rows} onRefresh={() => void refresh()} />
      <LiveDot />
      <EditingSurface editing={editing} />
    </main>
  )
}
