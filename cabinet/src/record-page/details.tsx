import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { Avatar, CopyId, HiddenValue } from '../components/index.ts'
import { operatorName } from '../directories/directories.ts'
import { allFields } from '../editing/custom-fields.ts'
import { useRecordName } from '../editing/record-name.ts'
import type { FieldDefinition } from '../records/field.ts'
import { addressLines, CellValue, textOf } from '../records/field-value.tsx'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { labelOf, wordOf } from '../records/labels.ts'
import { isObject, type Json, type RecordState, read } from '../records/record.ts'
import type { RecordSheet } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface DetailsProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly keys: RecordSheet['keys']
  /** Members of which nobody can say what they were; only for a record as of a version. */
  readonly unknown?: ReadonlySet<string> | undefined
}

/** What a record says of itself. A value that the role hides has a lock, which says why. */
export function Details({ kind, record, keys, unknown = new Set() }: DetailsProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const fields = allFields(kind, directories).filter(
    field => !['tags', 'external-id', 'references'].includes(field.widget) && field.path !== kindFacts[kind].title,
  )
  return (
    <section className="section" aria-labelledby="details">
      <div className="section-head">
        <h2 id="details">{t('Details')}</h2>
      </div>
      <dl className="facts">
        {fields.map(field => {
          const isUnknown = unknown.has(field.path.split('.', 1)[0] ?? '')
          const content = isUnknown ? <Hidden field={field} /> : contentOf(field, record)
          if (content === null) return null
          return (
            <Fact key={field.path} label={labelOf(field.path, t, directories)}>
              {content}
            </Fact>
          )
        })}
        {keys.map(({ application, externalId }) => (
          <Fact key={application.id} label={t('External ID')}>
            <CopyId id={externalId} /> <span className="muted">{application.name}</span>
          </Fact>
        ))}
        <Fact label={t('ID')}>
          <CopyId id={record.id} shown={`${record.id.slice(0, 13)}…`} />
        </Fact>
        <Fact label={t('Version')}>{`v${record.version}`}</Fact>
      </dl>
    </section>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** What stands for a value; null where there is none. */
function contentOf(field: FieldDefinition, record: RecordState): ReactNode {
  const value = read(record, field.path)
  if (value === undefined)
    return field.scope === undefined || field.path.startsWith('customFields.') ? null : <Hidden field={field} />
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null
  return <Content field={field} record={record} value={value} />
}

interface ContentProps {
  readonly field: FieldDefinition
  readonly record: RecordState
  readonly value: Json
}

function Content({ field, record, value }: ContentProps) {
  const { directories, showing } = useWorkspace()
  if (Array.isArray(value) && field.widget !== 'options') return <ListContent field={field} values={value} />
  if (field.widget === 'reference') return <ReferenceLink kind={field.of ?? 'contacts'} id={String(value)} />
  if (field.widget === 'operator') {
    const name = operatorName(directories, String(value)) ?? showing.words.t('Unknown')
    return (
      <span className="row-flex">
        <Avatar name={name} id={String(value)} />
        <span>{name}</span>
      </span>
    )
  }
  if (field.widget === 'long-text') return <span className="long-text">{String(value)}</span>
  return field.widget === 'stage' || field.widget === 'due' || field.path === 'status' ? (
    <CellValue field={field} record={record} showing={showing} />
  ) : (
    textOf(value, field, record, showing)
  )
}

function ListContent({ field, values }: { readonly field: FieldDefinition; readonly values: readonly Json[] }) {
  const { t } = useWorkspace().showing.words
  return (
    <ul className="plain-list">
      {values.map((element, index) => {
        if (!isObject(element))
          return (
            <li key={index}>
              <WebLink address={String(element)} />
            </li>
          )
        if (field.widget === 'addresses') return <li key={index}>{addressLines(element).join(', ')}</li>
        const word = element.label ?? element.type
        const text = String(element.value ?? '')
        const href =
          field.widget === 'emails'
            ? `mailto:${text}`
            : field.widget === 'phones'
              ? `tel:${String(element.e164 ?? text)}`
              : undefined
        return (
          <li key={index}>
            {href === undefined ? text : <a href={href}>{text}</a>}{' '}
            {typeof word === 'string' ? <span className="muted">{wordOf(word, t)}</span> : null}
          </li>
        )
      })}
    </ul>
  )
}

/** An address of the web as a link; what is none is only text. */
function WebLink({ address }: { readonly address: string }) {
  if (!/^https?:\/\//iu.test(address)) return address
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {address}
    </a>
  )
}

function ReferenceLink({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { organization } = useWorkspace()
  return <Link href={`/o/${organization.id}/${kind}/${id}`}>{useRecordName(kind, id)}</Link>
}

/** A lock in the place of a value, which says what it takes to see it. */
function Hidden({ field }: { readonly field: FieldDefinition }) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  return (
    <HiddenValue title={t('{name} is hidden from you', { name: labelOf(field.path, t, directories) })}>
      {t('It needs the right {scope}. An owner of the organization can give it.', { scope: field.scope ?? '' })}
    </HiddenValue>
  )
}
