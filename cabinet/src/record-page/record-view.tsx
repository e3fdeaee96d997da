import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { AgainButton, Banner, lazyPart, Skeleton } from '../components/index.ts'
import { EditingSurface } from '../editing/editing-surface.tsx'
import { usePageEditing } from '../editing/use-page-editing.ts'
import { useKeys } from '../keys/index.ts'
import { replaceRows } from '../lists/use-rows.ts'
import { partsKey } from '../parts/use-part-changes.ts'
import { asOf } from '../records/history.rules.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { titleOfKind } from '../records/labels.ts'
import { type RecordSheet, readSheet } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { GonePage, isGone } from './gone-page.tsx'
import { type Panel, RecordFrame } from './record-frame.tsx'
import { SheetContent } from './sheet-content.tsx'
import { useHistory, useHistoryBackTo } from './use-history.ts'
import { useNewerVersion } from './use-newer-version.ts'
import './record-page.css'

const DeleteDialog = lazyPart(
  async () => (await import('../deletion/delete-dialog.tsx')).DeleteDialog,
  ({ onClose }) => onClose,
)

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
    queryFn: async ({ client }) => {
      // Not given up with the page: lists show what was changed on it.
      const sheet = await readSheet(organization.id, kind, id)
      replaceRows(client, organization.id, kind, [sheet.record])
      return sheet
    },
  })
  if (data !== undefined) return <Sheet key={id} kind={kind} sheet={data} failure={error} panel={panel} />
  if (isGone(error)) return <GonePage kind={kind} id={id} failure={error} panel={panel} />
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

/** A record that is there, or was when it was read: what is open above it stays also when the record goes. */
function Sheet({ kind, sheet, failure, panel }: SheetProps) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const router = useRouter()
  const { record } = sheet
  const history = useHistory(organization.id, kind, record.id)
  const [version, setVersion] = useState<number | null>(null)
  const isHistoryThere = useHistoryBackTo(history, version)
  const refresh = async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['sheet', organization.id, kind, record.id], refetchType: 'all' }),
      client.invalidateQueries({ queryKey: ['history', organization.id, kind, record.id] }),
      client.invalidateQueries({ queryKey: ['activities', organization.id, kind, record.id] }),
      client.invalidateQueries({ queryKey: partsKey(organization.id, kind, record.id) }),
    ])
  }
  const newer = useNewerVersion(organization.id, kind, record, () => void refresh())
  const [isDeleting, setDeleting] = useState(false)
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
  const edit = mayWrite && !isGone(failure) && version === null ? () => editing.openEdit(kind, record) : undefined
  useKeys([
    ...(edit === undefined ? [] : [{ keys: 'e', text: t('Edit'), run: edit }]),
    ...(panel === undefined ? [{ keys: 'Escape', text: t(titleOfKind[kind]), run: toList }] : []),
  ])

  const content = {
    kind,
    sheet,
    panel,
    editing,
    history,
    version,
    newer,
    past: version !== null && isHistoryThere ? asOf(record, history.entries, version) : null,
    onVersion: setVersion,
    onChanged: () => void refresh(),
    onEdit: edit,
    onDelete: sheet.permissions.includes(kindFacts[kind].remove) ? () => setDeleting(true) : undefined,
  }
  return (
    <>
      {isGone(failure) ? (
        <GonePage kind={kind} id={record.id} failure={failure} panel={panel} />
      ) : (
        <SheetContent {...content} failure={failure} />
      )}
      {isDeleting ? (
        <Suspense>
          <DeleteDialog
            kind={kind}
            record={record}
            onClose={() => setDeleting(false)}
            onDeleted={panel?.onClose ?? toList}
          />
        </Suspense>
      ) : null}
      <EditingSurface editing={editing} />
    </>
  )
}
