import { useState } from 'react'
import { Button, CopyId, RadioGroup, Sheet } from '../components/index.ts'
import { formatMoment } from '../format/formats.ts'
import { actorOf } from '../record-page/actor.ts'
import { type Difference, type Side, undecided } from '../records/conflict.rules.ts'
import type { FieldDefinition } from '../records/field.ts'
import { textOf } from '../records/field-value.tsx'
import { labelOf } from '../records/labels.ts'
import type { Json, RecordState } from '../records/record.ts'
import type { HistoryEntry } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface ConflictProps {
  readonly theirs: RecordState
  readonly sawVersion: number
  readonly fields: readonly FieldDefinition[]
  readonly differences: readonly Difference[]
  /** What others did meanwhile, the newest first. */
  readonly meanwhile: readonly HistoryEntry[]
  readonly isSaving: boolean
  readonly onSave: (decisions: ReadonlyMap<string, Side>) => void
  /** Goes back to what was typed. */
  readonly onClose: () => void
  readonly onDiscard: () => void
}

/** What others wrote while one was writing, field by field, to decide what stays. */
export function ConflictDialog(props: ConflictProps) {
  const { theirs, sawVersion, differences, meanwhile, isSaving, onSave, onClose, onDiscard } = props
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const [decisions, setDecisions] = useState<ReadonlyMap<string, Side>>(new Map())
  const open = undecided(differences, decisions)
  const allMine = () => onSave(new Map(differences.map(({ path }) => [path, 'mine'])))
  const actors = [...new Set(meanwhile.map(entry => actorOf(entry, directories, t)))]
  const who = actors.length === 0 ? t('Somebody else') : actors.join(', ')
  const needed = differences.filter(({ settled }) => settled === undefined).length
  const note = t(
    '{who} changed this before you. {needed, plural, =0 {No field needs} one {One field needs} other {# fields need}} your decision.',
    { who, needed },
  )
  return (
    <Sheet
      isOpen
      isKept
      onClose={onClose}
      title={t('Not saved')}
      note={note}
      foot={
        <>
          <Button look="primary" isDisabled={open.length > 0 || isSaving} onPress={() => onSave(decisions)}>
            {t('Save as v{version}', { version: theirs.version + 1 })}
          </Button>
          <Button isDisabled={isSaving} onPress={allMine}>
            {t('Keep all mine')}
          </Button>
          <span className="push">
            <Button look="danger-quiet" onPress={onDiscard}>
              {t('Discard mine')}
            </Button>
          </span>
        </>
      }
    >
      <div className="diff-wrap">
        <table className="diff">
          <thead>
            <tr>
              <th scope="col">{t('Field')}</th>
              <th scope="col">
                {t('You saw')} v{sawVersion}
              </th>
              <th scope="col">
                {t('They wrote')} v{theirs.version}
              </th>
              <th scope="col">{t('You wrote')}</th>
              <th scope="col">{t('Keep')}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(difference => (
              <DifferenceRow
                key={difference.path}
                {...props}
                difference={difference}
                side={difference.settled ?? decisions.get(difference.path)}
                onDecide={side => setDecisions(new Map([...decisions, [difference.path, side]]))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Meanwhile entries={meanwhile} />
    </Sheet>
  )
}

interface RowProps extends ConflictProps {
  readonly difference: Difference
  readonly side: Side | undefined
  readonly onDecide: (side: Side) => void
}

function DifferenceRow({ theirs, fields, difference, side, onDecide }: RowProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const { path, saw, settled } = difference
  const field = fields.find(one => one.path === path)
  const label = labelOf(path, t, directories)
  const text = (value: Json) => (field === undefined ? String(value) : textOf(value, field, theirs, showing)) || '–'
  const kept = (own: Side) => (side === own ? 'is-kept' : settled === undefined ? '' : 'is-settled')
  const choices = [
    { id: 'mine', name: t('Mine') },
    { id: 'theirs', name: t('Theirs') },
  ]
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className="is-settled">{text(saw)}</td>
      <td className={kept('theirs')}>{settled === 'mine' ? t('not changed') : text(difference.theirs)}</td>
      <td className={kept('mine')}>{settled === 'theirs' ? t('not changed') : text(difference.mine)}</td>
      <td>
        {settled === undefined ? (
          <RadioGroup
            label={t('Keep {field}', { field: label })}
            choices={choices}
            value={side ?? null}
            onChange={value => onDecide(value === 'mine' ? 'mine' : 'theirs')}
          />
        ) : (
          <span className="muted">{settled === 'mine' ? t('Mine') : t('Theirs')}</span>
        )}
      </td>
    </tr>
  )
}

function Meanwhile({ entries }: { readonly entries: readonly HistoryEntry[] }) {
  const { showing, directories } = useWorkspace()
  const { t, language } = showing.words
  return (
    <>
      <h3 className="timeline-day">{t('What happened meanwhile')}</h3>
      <ol className="timeline">
        {entries.map(entry => (
          <li key={entry.id} className="entry entry-plain">
            <div className="entry-text">
              <b className="strong">{actorOf(entry, directories, t)}</b>{' '}
              {t('changed {fields}', {
                fields: entry.changes.map(({ field }) => labelOf(field, t, directories)).join(', '),
              })}
              {entry.versionAfter === null ? '' : `: v${entry.versionAfter}`}
              <p className="entry-meta">
                <span>
                  {t('Request')} <CopyId id={entry.requestId} />
                </span>
              </p>
            </div>
            <time dateTime={entry.occurredAt}>{formatMoment(entry.occurredAt, language)}</time>
          </li>
        ))}
      </ol>
      <p className="muted">{t('Your text is kept as a draft on this device until you decide.')}</p>
    </>
  )
}
