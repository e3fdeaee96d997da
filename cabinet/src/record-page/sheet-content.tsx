import { Suspense } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Banner, lazyPart } from '../components/index.ts'
import type { Editing } from '../editing/use-editing.tsx'
import { LiveDot } from '../live/index.ts'
import type { AsOf } from '../records/history.rules.ts'
import type { Kind } from '../records/kinds.ts'
import { nameOfRecord } from '../records/labels.ts'
import type { RecordSheet } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { Details } from './details.tsx'
import { LinkedRecords } from './linked-records.tsx'
import { type Panel, RecordFrame } from './record-frame.tsx'
import { RecordHeader } from './record-header.tsx'
import { RecordTabs } from './record-tabs.tsx'
import type { History } from './use-history.ts'
import type { NewerVersion } from './use-newer-version.ts'

const Checklists = lazyPart(async () => (await import('../checklists/checklists.tsx')).Checklists)
const RecordFiles = lazyPart(async () => (await import('../record-files/record-files.tsx')).RecordFiles)

interface SheetContentProps {
  readonly kind: Kind
  readonly sheet: RecordSheet
  /** Why the last refresh failed; null if it did not. */
  readonly failure: Error | null
  readonly panel: Panel | undefined
  readonly editing: Editing
  readonly history: History
  /** The version that is shown; null: the latest one that was read. */
  readonly version: number | null
  /** The record as of that version, as soon as it is known. */
  readonly past: AsOf | null
  readonly newer: NewerVersion | null
  readonly onVersion: (version: number | null) => void
  readonly onChanged: () => void
  readonly onEdit: (() => void) | undefined
  readonly onDelete: (() => void) | undefined
}

/** What is known of a record: its head, what it says of itself, what belongs to it, and what happened. */
export function SheetContent(props: SheetContentProps) {
  const { kind, sheet, failure, panel, editing, history, version, past, newer } = props
  const { onVersion, onChanged, onEdit, onDelete } = props
  const { showing, may } = useWorkspace()
  const { t } = showing.words
  const { record } = sheet
  return (
    <RecordFrame panel={panel} name={nameOfRecord(kind, record)}>
      <RecordHeader
        kind={kind}
        record={record}
        newer={newer}
        onEdit={onEdit}
        onChanged={onChanged}
        onDelete={onDelete}
        panel={panel}
        editing={editing}
      />
      {failure === null ? null : (
        <Banner meaning="warning" isAlert>
          {sentenceOf(failure, showing.words)}
        </Banner>
      )}
      {past === null ? null : (
        <Banner>{t('This is the record as of v{version}.', { version: version ?? record.version })}</Banner>
      )}
      <div className="record">
        <div className="record-side">
          <Details kind={kind} record={past?.record ?? record} keys={sheet.keys} unknown={past?.unknown} />
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
            onVersion={onVersion}
            editing={editing}
            onChanged={onChanged}
          />
        </div>
      </div>
      {panel === undefined ? <LiveDot /> : null}
    </RecordFrame>
  )
}
