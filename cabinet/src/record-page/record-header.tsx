import { ChevronLeft, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react'
import { Link } from 'react-aria-components'
import { createPortal } from 'react-dom'
import { sentenceOf } from '../api/index.ts'
import {
  Avatar,
  Badge,
  Button,
  Checkbox,
  IconButton,
  MenuButton,
  MenuItem,
  showToast,
  Tag,
} from '../components/index.ts'
import type { Editing } from '../editing/use-editing.tsx'
import { formatAgo } from '../format/formats.ts'
import { otherStatus } from '../records/fields-of-tasks.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { nameOfRecord, titleOfKind } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { write } from '../records/record-requests.ts'
import { ChoiceDialog } from '../workspace/choice-dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Panel } from './record-frame.tsx'
import { StageButton } from './stage-button.tsx'
import type { NewerVersion } from './use-newer-version.ts'

interface HeadProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly newer: NewerVersion | null
  /** Absent where the record cannot be edited. */
  readonly onEdit: (() => void) | undefined
  readonly onChanged: () => void
  /** Absent where the record may not be deleted. */
  readonly onDelete: (() => void) | undefined
  readonly editing: Editing
  readonly panel: Panel | undefined
}

/** What the record is called, what it is marked with, and what can be done with it. */
export function RecordHeader(props: HeadProps) {
  const { kind, record, newer, onEdit, onChanged, onDelete, editing, panel } = props
  const { organization, showing, may } = useWorkspace()
  const { t, language } = showing.words
  const name = nameOfRecord(kind, record)
  const curl = `curl -H "Authorization: Bearer $CRM_TOKEN" ${location.origin}/api/v1/crm/${kind}/${record.id}`
  const act = (key: string | number) => {
    if (key === 'curl') void navigator.clipboard.writeText(curl).then(() => showToast({ text: t('Copied') }))
    if (key === 'delete') onDelete?.()
    if (key === 'task') editing.openNew('tasks', new Map([[`${kindFacts[kind].singular}Id`, record.id]]))
  }
  const actions = (
    <>
      {kind === 'deals' && onEdit !== undefined ? <StageButton deal={record} onMoved={onChanged} /> : null}
      {onEdit === undefined ? null : (
        <Button look="primary" shortcut="E" onPress={onEdit}>
          <Pencil className="icon" />
          {t('Edit')}
        </Button>
      )}
      <MenuButton
        label={t('More')}
        onAction={act}
        button={
          <IconButton label={t('More')}>
            <Ellipsis className="icon" />
          </IconButton>
        }
      >
        <MenuItem id="curl">{t('Copy as curl')}</MenuItem>
        {kind !== 'tasks' && may('crm_tasks_write') ? <MenuItem id="task">{t('New task')}</MenuItem> : null}
        {onDelete === undefined ? null : (
          <MenuItem id="delete" isDangerous icon={<Trash2 className="icon icon-small" />}>
            {t('Delete')}
          </MenuItem>
        )}
      </MenuButton>
    </>
  )
  return (
    <>
      {panel === undefined ? (
        <div className="page-head">
          <Link className="back-link" href={`/o/${organization.id}/${kind}`}>
            <ChevronLeft className="icon icon-small" />
            {t(titleOfKind[kind])}
          </Link>
          <div className="page-actions">{actions}</div>
        </div>
      ) : panel.actions === null ? null : (
        createPortal(actions, panel.actions)
      )}
      <div className="record-head">
        {kind === 'contacts' || kind === 'companies' ? (
          <Avatar name={name} id={record.id} size="large" isSquare={kind === 'companies'} />
        ) : null}
        {panel === undefined ? <h1>{name}</h1> : <h2 className="panel-title">{name}</h2>}
        {kind === 'tasks' ? (
          <Checkbox
            isSelected={record.status === 'done'}
            isDisabled={onEdit === undefined}
            onChange={() => void editing.change('cell', kind, record, new Map([['status', otherStatus(record)]]))}
          >
            {t('Done')}
          </Checkbox>
        ) : null}
        <RecordTags kind={kind} record={record} mayChange={onEdit !== undefined} onChanged={onChanged} />
        {newer === null ? null : (
          <span className="push row-flex" role="status">
            <Badge meaning="info">
              {t('v{version} by {who}, {ago}', {
                version: newer.version,
                who: newer.by,
                ago: formatAgo(newer.at, language, showing.now),
              })}
            </Badge>
            <Button isSmall onPress={onChanged}>
              {t('Show')}
            </Button>
          </span>
        )}
      </div>
    </>
  )
}

interface TagsProps {
  readonly kind: Kind
  readonly record: RecordState
  readonly mayChange: boolean
  readonly onChanged: () => void
}

/** The tags of the record, and the choice of others. */
function RecordTags({ kind, record, mayChange, onChanged }: TagsProps) {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const { tagIds } = record
  if (!Array.isArray(tagIds) || directories.tags === undefined) return null
  const possible = directories.tags.filter(({ kinds }) => kinds.includes(kindFacts[kind].singular))
  const change = async (id: string, isOn: boolean) => {
    const next = possible.filter(tag => (tag.id === id ? isOn : tagIds.includes(tag.id)))
    const body = { expectedVersion: record.version, tags: next.map(tag => ({ id: tag.id })) }
    try {
      await write(organization.id, { method: 'PUT', path: `${kind}/${record.id}/tags`, body, key: crypto.randomUUID() })
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
    onChanged()
  }
  return (
    <span className="row-flex">
      {possible
        .filter(({ id }) => tagIds.includes(id))
        .map(({ id, name, color }) => (
          <Tag key={id} name={name} color={color} />
        ))}
      {mayChange && possible.length > 0 ? (
        <ChoiceDialog
          title={t('Tags')}
          choices={possible}
          chosen={tagIds.map(String)}
          onChange={(id, isOn) => void change(id, isOn)}
          button={open => (
            <IconButton isSmall label={t('Tags')} onPress={open}>
              <Plus className="icon icon-small" />
            </IconButton>
          )}
        />
      ) : null}
    </span>
  )
}
