import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { Failure, sentenceOf } from '../api/index.ts'
import { AgainButton, Banner, lazyPart, Skeleton } from '../components/index.ts'
import { EditingSurface } from '../editing/editing-surface.tsx'
import { usePageEditing } from '../editing/use-page-editing.ts'
import { useKeys } from '../keys/index.ts'
import { replaceRows } from '../lists/use-rows.ts'
import { LiveDot } from '../live/index.ts'
import { partsKey } from '../parts/use-part-changes.ts'
import { asOf } from '../records/history.rules.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { nameOfRecord, titleOfKind } from '../records/labels.ts'
import { type RecordSheet, readSheet } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { Details } from './details.tsx'
import { GonePage } from './gone-page.tsx'
import { LinkedRecords } from './linked-records.tsx'
import { type Panel, RecordFrame } from './record-frame.tsx'
import { RecordHeader } from './record-header.tsx'
import { RecordTabs } from './record-tabs.tsx'
import { useHistory, useHistoryBackTo } from './use-history.ts'
import { useNewerVersion } from './use-newer-version.ts'
import './record-page.css'

const Checklists = lazyPart(async () => (await import('../checklists/checklists.tsx')).Checklists)
const RecordFiles = lazyPart(async () => (await import('../record-files/record-files.tsx')).RecordFiles)

interface ViewProps {
  readonly kind: Kind
  readonly id: string
  /** Given where the record stands beside a list. */
  readonly panel?: Panel
}

/** One record, on a page of its own or beside a list. */
export function RecordView({ kind, id, panel }: ViewProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const { data, error, refetch } = useQuery({
    queryKey: ['sheet', organization.id, kind, id],
    queryFn: ({ signal }) => readSheet(organization.id, kind, id, signal),
  })
  const isGone = error instanceof Failure && (error.status === 404 || error.status === 410)
  if (isGone) return <GonePage kind={kind} id={id} failure={error} panel={panel} />
  if (data !== undefined) return <Sheet key={id} kind={kind} sheet={data} failure={error} panel={panel} />
  return (
    <RecordFrame panel={panel} name={t(titleOfKind[kind])}>
      {panel === undefined ? <h1 className="visually-hidden">{t(titleOfKind[kind])}</h1> : null}
      <div className="section" aria-busy={error === null}>
        {error === null ? (
          <Skeleton />
        ) : (
          <Banner
            meaning="danger"
            isAlert
            action={<AgainButton isSmall error={error} onAgain={() => void refetch()} />}
          >
            {sentenceOf(error, showing.words)}
          </Banner>
        )}
      </div>
    </RecordFrame>
  )
}

interface SheetProps {
  readonly kind: Kind
  readonly sheet: RecordSheet
  /** Why the last refresh failed; null if it did not. */
  readonly failure: Error | null
  readonly panel: Panel | undefined
}

function Sheet({ kind, sheet, failure, panel }: SheetProps) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const router = useRouter()
  const { record } = sheet
  const history = useHistory(organization.id, kind, record.id)
  const [version, setVersion] = useState<number | null>(null)
  const isHistoryThere = useHistoryBackTo(history, version)
  const newer = useNewerVersion(organization.id, kind, record)
  const refresh = async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['sheet', organization.id, kind, record.id] }),
      client.invalidateQueries({ queryKey: ['history', organization.id, kind, record.id] }),
      client.invalidateQueries({ queryKey: ['activities', organization.id, kind, record.id] }),
      client.invalidateQueries({ queryKey: partsKey(organization.id, kind, record.id) }),
    ])
  }
  // The list beside it shows what was changed here: its stage, its tags.
  useEffect(() => {
    if (panel !== undefined) replaceRows(client, organization.id, kind, [record])
  }, [client, organization.id, kind, record, panel === undefined])
  const mayWrite = may(kindFacts[kind].write)
  const toList = () => router.history.push(`/cabinet/o/${organization.id}/${kind}`)
  const editing = usePageEditing({
    onSaved: (savedKind, saved, isNew) => {
      if (isNew) router.history.push(`/cabinet/o/${organization.id}/${savedKind}/${saved.id}`)
      void refresh()
    },
    // What was open beside a list, the list opens again.
    mayWrite: mayWrite && panel === undefined,
    onBegin: ({ hasDraft, openEdit }) => (hasDraft(kind, record.id) ? openEdit(kind, record) : undefined),
  })
  const edit = mayWrite && version === null ? () => editing.openEdit(kind, record) : undefined
  useKeys([
    ...(edit === undefined ? [] : [{ keys: 'e', text: t('Edit'), run: edit }]),
    ...(panel === undefined ? [{ keys: 'Escape', text: t(titleOfKind[kind]), run: toList }] : []),
  ])

  const then = version !== null && isHistoryThere ? asOf(record, history.entries, version) : null
  const shown = then?.record ?? record
  return (
    <RecordFrame panel={panel} name={nameOfRecord(kind, record)}>
      <RecordHeader
        kind={kind}
        record={record}
        newer={newer}
        onShowNewer={() => void refresh()}
        onEdit={edit}
        onChanged={() => void refresh()}
        onDeleted={sheet.permissions.includes(kindFacts[kind].remove) ? (panel?.onClose ?? toList) : undefined}
        panel={panel}
        editing={editing}
      />
      {failure === null ? null : (
        <Banner meaning="warning" isAlert>
          {sentenceOf(failure, showing.words)}
        </Banner>
      )}
      {then === null ? null : (
        <Banner>{t('This is the record as of v{version}.', { version: version ?? record.version })}</Banner>
      )}
      <div className="record">
        <div className="record-side">
          <Details kind={kind} record={shown} keys={sheet.keys} unknown={then?.unknown} />
          {kind === 'tasks' ? (
            <Suspense>
              <Checklists task={record.id} />
            </Suspense>
          ) : null}
          <LinkedRecords kind={kind} sheet={sheet} editing={editing} />
          {may('crm_files_read') ? (
            <Suspense>
              <RecordFiles kind={kind} record={record.id} />
            </Suspense>
          ) : null}
        </div>
        <div className="record-main">
          <RecordTabs
            kind={kind}
            record={record}
            history={history}
            version={version}
            onVersion={setVersion}
            editing={editing}
            onChanged={() => void refresh()}
          />
        </div>
      </div>
      {panel === undefined ? <LiveDot /> : null}
      <EditingSurface editing={editing} />
    </RecordFrame>
  )
}
