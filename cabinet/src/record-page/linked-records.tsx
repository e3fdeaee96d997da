import { Plus } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-aria-components'
import { IconButton } from '../components/index.ts'
import type { Editing } from '../editing/use-editing.tsx'
import { formatNumber } from '../format/formats.ts'
import type { Values } from '../records/changes.rules.ts'
import { type Kind, kindFacts, kinds } from '../records/kinds.ts'
import { newOfKind, titleOfKind } from '../records/labels.ts'
import type { Linked, RecordSheet } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface LinkedProps {
  readonly kind: Kind
  readonly sheet: RecordSheet
  readonly editing: Editing
}

/** The records that this one is linked with, kind by kind. */
export function LinkedRecords({ kind, sheet, editing }: LinkedProps) {
  return kinds.map(of => {
    const linked = sheet.linked[of]
    return linked === undefined ? null : (
      <Section key={of} of={of} from={kind} sheet={sheet} linked={linked} editing={editing} />
    )
  })
}

interface SectionProps {
  readonly of: Kind
  readonly from: Kind
  readonly sheet: RecordSheet
  readonly linked: readonly Linked[]
  readonly editing: Editing
}

function Section({ of, from, sheet, linked, editing }: SectionProps) {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const id = useId()
  const presets = presetsFor(of, from, sheet.record.id)
  const count = sheet.counts[of]
  const { language } = showing.words
  const shown =
    count === undefined ? String(linked.length) : `${formatNumber(count.count, language)}${count.isExact ? '' : '+'}`
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{t(titleOfKind[of])}</h2>
        <span className="muted">{shown}</span>
        {presets !== undefined && may(kindFacts[of].write) ? (
          <IconButton isSmall label={t(newOfKind[of])} onPress={() => editing.openNew(of, presets)}>
            <Plus className="icon icon-small" />
          </IconButton>
        ) : null}
      </div>
      {linked.length === 0 ? <p className="muted">–</p> : null}
      <ul className="facts-list">
        {linked.map(record => (
          <li key={record.id}>
            <Link href={`/o/${organization.id}/${of}/${record.id}`}>{record.name ?? record.title ?? record.id}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What a new record of a kind begins with, so that it is linked with this one; undefined where it cannot name it. */
function presetsFor(of: Kind, from: Kind, id: string): Values | undefined {
  if (of === 'deals' && (from === 'contacts' || from === 'companies'))
    return new Map([[`${kindFacts[from].singular}Ids`, [id]]])
  return of === 'tasks' && from !== 'tasks' ? new Map([[`${kindFacts[from].singular}Id`, id]]) : undefined
}
