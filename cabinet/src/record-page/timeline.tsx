import { KeyRound, Undo2 } from 'lucide-react'
import { sentenceOf } from '../api/index.ts'
import { Avatar, Banner, Button, CopyId, showToast } from '../components/index.ts'
import { takeBack } from '../editing/take-back.ts'
import type { Editing } from '../editing/use-editing.tsx'
import { formatDay, formatMoment, formatTime } from '../format/formats.ts'
import { textOf } from '../records/field-value.tsx'
import { fieldAt } from '../records/fields.ts'
import { type HistoryChange, type Undo, undoOf } from '../records/history.rules.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { isObject, type Json, type RecordState, read, same } from '../records/record.ts'
import { type HistoryEntry, write } from '../records/record-requests.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { actorOf } from './actor.ts'
import { shownChanges } from './shown-changes.rules.ts'
import type { History } from './use-history.ts'

interface TimelineProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly history: History
  readonly editing: Editing
  readonly onChanged: () => void
}

/** Who changed the record, by what, and how it can be taken back; the newest first. */
export function Timeline({ kind, record, history, editing, onChanged }: TimelineProps) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const { entries, error, hasNextPage, isFetchingNextPage, fetchNextPage, isPending } = history
  const days = byDay(entries, ({ occurredAt }) => formatDay(occurredAt, language, showing.now))
  return (
    <div className="section" aria-busy={isPending}>
      {error === null ? null : <Banner meaning="warning">{sentenceOf(error, showing.words)}</Banner>}
      {[...days].map(([day, ofDay]) => (
        <div key={day}>
          <h2 className="timeline-day">{day}</h2>
          <ol className="timeline">
            {ofDay.map(entry => (
              <Entry key={entry.id} kind={kind} record={record} entry={entry} editing={editing} onChanged={onChanged} />
            ))}
          </ol>
        </div>
      ))}
      {hasNextPage ? (
        <Button look="quiet" isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      ) : null}
    </div>
  )
}

/** Entries under the names of their days. */
function byDay(entries: readonly HistoryEntry[], dayOf: (entry: HistoryEntry) => string): Map<string, HistoryEntry[]> {
  const days = new Map<string, HistoryEntry[]>()
  for (const entry of entries) days.set(dayOf(entry), [...(days.get(dayOf(entry)) ?? []), entry])
  return days
}

interface EntryProps extends Omit<TimelineProps, 'history'> {
  readonly entry: HistoryEntry
}

const verbs: Readonly<Record<string, Text>> = {
  created: '{who} created this',
  updated: '{who} changed',
  moved: '{who} moved',
  tags_replaced: '{who} changed',
  merged: '{who} merged another record into this one',
  deleted: '{who} deleted this',
  anonymized: '{who} erased the person',
  restored: '{who} restored this',
}

function Entry({ kind, record, entry, editing, onChanged }: EntryProps) {
  const { showing, directories } = useWorkspace()
  const { t, language } = showing.words
  const who = actorOf(entry, directories, t)
  const verb = entry.action.split('.').at(-1) ?? ''
  const isPerson = entry.actorType === 'user'
  const changes = entry.action.endsWith('.created') ? [] : shownChanges(entry.changes)
  return (
    <li className="entry">
      {isPerson ? (
        <Avatar name={who} id={entry.actorUserUuid ?? who} size="mid" />
      ) : (
        <span className="entry-mark">
          <KeyRound className="icon icon-small" />
        </span>
      )}
      <div className="entry-text">
        <p>
          {verbs[verb] === undefined ? t('{who}: {action}', { who, action: entry.action }) : t(verbs[verb], { who })}
        </p>
        {changes.map((change, index) => (
          <ChangeLine key={`${change.field}-${index}`} kind={kind} change={change} record={record} />
        ))}
        <p className="entry-meta">
          <span>
            {t('Request')} <CopyId id={entry.requestId} shown={entry.requestId.slice(0, 13)} />
          </span>
          {entry.versionAfter === null ? null : <span>{`v${entry.versionAfter}`}</span>}
          {entry.jobId === null ? null : (
            <span>
              {t('Job')} <CopyId id={entry.jobId} shown={entry.jobId.slice(0, 13)} />
            </span>
          )}
        </p>
      </div>
      <div className="entry-side">
        <UndoButton kind={kind} record={record} entry={entry} editing={editing} onChanged={onChanged} />
        <time dateTime={entry.occurredAt} title={formatMoment(entry.occurredAt, language)}>
          {formatTime(entry.occurredAt, language)}
        </time>
      </div>
    </li>
  )
}

interface LineProps {
  readonly kind: Kind
  readonly change: HistoryChange
  readonly record: RecordState
}

function ChangeLine({ kind, change, record }: LineProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const { field, before, after, redacted } = change
  const known = fieldAt(kind, field)
  const text = (value: Json | undefined) => {
    if (known !== undefined) return textOf(value, known, record, showing)
    return isObject(value) || Array.isArray(value) ? '' : String(value ?? '')
  }
  const [old, next] = [text(before), text(after)]
  return (
    <p className="change">
      <span>{labelOf(field, t, directories)}</span>
      {redacted ? <span className="muted">{t('Hidden')}</span> : null}
      {old === '' ? null : <del>{old}</del>}
      {next === '' ? null : <ins>{next}</ins>}
    </p>
  )
}

function UndoButton({ kind, record, entry, editing, onChanged }: EntryProps) {
  const { organization, directories, showing, may } = useWorkspace()
  const { t } = showing.words
  const undo = undoOf(kind, entry)
  if (typeof undo === 'string' || entry.versionAfter === null || !may(kindFacts[kind].write)) return null
  const version = entry.versionAfter
  const press = async () => {
    try {
      if (undo.before.size > 0) await takeBack(editing, { kind, record, directories }, { ...undo, version }, 'history')
      else await takeBackPart(undo)
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
    onChanged()
  }
  /** Tags and stages have writes of their own. */
  const takeBackPart = async ({ tagIds, stageUuid }: Undo) => {
    const wasChangedSince = entry.changes.some(
      ({ field, after }) =>
        field === (tagIds === undefined ? 'stageUuid' : 'tagIds') && !same(read(record, field), after),
    )
    if (wasChangedSince) return showToast({ text: t('This was changed again since: nothing was undone.') })
    const expected = { expectedVersion: record.version }
    const key = crypto.randomUUID()
    const path = `${kind}/${record.id}`
    if (tagIds !== undefined)
      await write(organization.id, {
        method: 'PUT',
        path: `${path}/tags`,
        key,
        body: { ...expected, tags: tagIds.map(id => ({ id })) },
      })
    else if (stageUuid !== undefined)
      await write(organization.id, { method: 'PATCH', path: `${path}/move`, key, body: { ...expected, stageUuid } })
    showToast({ text: t('Undone') })
  }
  return (
    <Button look="quiet" isSmall onPress={() => void press()}>
      <Undo2 className="icon icon-small" />
      {t('Undo')}
    </Button>
  )
}
