import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button as PlainButton } from 'react-aria-components'
import { Button, IconButton, Tag } from '../../components/index.ts'
import { isList, type Json } from '../../records/record.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import type { SettingField } from '../setting-field.tsx'
import { SettingForm } from '../setting-form.tsx'
import { changedValues } from '../setting-values.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { type SettingsColumn, SettingsTable } from '../settings-table.tsx'
import { useSettings } from '../use-settings.ts'
import {
  bodyOfSetting,
  customFieldKind,
  type ListedSetting,
  lostReasonKind,
  type SettingKind,
  tagKind,
  valuesOfSetting,
} from './setting-kinds.ts'

/** The tags that records can carry. */
export const TagsPage = () => <KindPage kind={tagKind} />

/** The fields that the organization has added to records. */
export const FieldsPage = () => <KindPage kind={customFieldKind} />

/** Why deals are lost. */
export const ReasonsPage = () => <KindPage kind={lostReasonKind} />

/** The settings of one kind: a list, and a form for a new one and for each. */
function KindPage({ kind }: { readonly kind: SettingKind }) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const [open, setOpen] = useState<{ readonly what: 'new' | 'edit' | 'delete'; readonly id?: string } | null>(null)
  const path = `settings/${kind.plural}`
  const { data, error } = useSettings<readonly ListedSetting[]>(path)
  const nameOf = (setting: ListedSetting) => String(setting[kind.named])
  const current = data?.find(({ id }) => id === open?.id)
  const close = () => setOpen(null)
  const show = useShownValue()
  const fieldOf = (name: string) => kind.fields.find(field => field.name === name)
  const columns: readonly SettingsColumn<ListedSetting>[] = [
    {
      title: t('Name'),
      cell: setting => (
        <PlainButton className="text-btn" onPress={() => setOpen({ what: 'edit', id: setting.id })}>
          {nameOf(setting)}
        </PlainButton>
      ),
    },
    ...kind.shown.flatMap((name): readonly SettingsColumn<ListedSetting>[] => {
      const field = fieldOf(name)
      return field === undefined
        ? []
        : [{ title: t(field.label), isWide: true, cell: setting => show(field, setting[name]) }]
    }),
    {
      title: t('Actions'),
      width: 'c-xs',
      isNumber: true,
      cell: setting => (
        <IconButton
          isSmall
          label={t('Delete {name}', { name: nameOf(setting) })}
          onPress={() => setOpen({ what: 'delete', id: setting.id })}
        >
          <Trash2 className="icon icon-small" />
        </IconButton>
      ),
    },
  ]
  return (
    <SettingsPane
      title={t(kind.title)}
      error={error}
      actions={
        <Button look="primary" onPress={() => setOpen({ what: 'new' })}>
          <Plus className="icon" />
          {t(kind.add)}
        </Button>
      }
    >
      {data === undefined ? undefined : (
        <SettingsTable label={t(kind.title)} items={data} empty={t(kind.empty)} columns={columns} />
      )}
      {open?.what === 'new' ? <KindForm kind={kind} onClose={close} /> : null}
      {open?.what === 'edit' && current !== undefined ? (
        <KindForm kind={kind} setting={current} onClose={close} />
      ) : null}
      {open?.what === 'delete' && current !== undefined ? (
        <ChangeDialog
          title={t('Delete {name}', { name: nameOf(current) })}
          action={t('Delete')}
          change={{ method: 'DELETE', path: `${path}/${current.id}` }}
          onDone={close}
          onClose={close}
        >
          <p className="strong">{t('This cannot be undone.')}</p>
        </ChangeDialog>
      ) : null}
    </SettingsPane>
  )
}

interface KindFormProps {
  readonly kind: SettingKind
  readonly setting?: ListedSetting
  readonly onClose: () => void
}

function KindForm({ kind, setting, onClose }: KindFormProps) {
  const { directories, showing } = useWorkspace()
  const { t } = showing.words
  const path = `settings/${kind.plural}`
  const before = setting === undefined ? kind.initial : valuesOfSetting(kind, setting)
  const isNew = setting === undefined
  return (
    <SettingForm
      title={isNew ? t(kind.add) : t('Edit {name}', { name: String(setting[kind.named]) })}
      draft={isNew ? `new/${kind.plural}` : `${kind.plural}/${setting.id}`}
      fields={kind.fields.filter(({ only }) => only !== (isNew ? 'change' : 'new'))}
      choices={{ pipelineId: [{ id: '', name: t('All pipelines') }, ...directories.pipelines] }}
      values={before}
      toChange={values =>
        isNew
          ? { method: 'POST', path, body: bodyOfSetting(values) }
          : {
              method: 'PATCH',
              path: `${path}/${setting.id}`,
              body: bodyOfSetting(changedValues(values, before, setting.version)),
            }
      }
      onDone={onClose}
      onClose={onClose}
    />
  )
}

/** Shows the value of a field in a list. */
function useShownValue() {
  const { directories, showing } = useWorkspace()
  const { t } = showing.words
  return ({ name, widget, choices = [] }: SettingField, value: Json | undefined) => {
    const nameOf = (id: Json) => {
      const found = choices.find(choice => choice.id === id)
      return found === undefined ? String(id) : t(found.name)
    }
    if (name === 'pipelineId') return directories.pipelines.find(({ id }) => id === value)?.name ?? t('All pipelines')
    if (widget === 'flag') return value === true ? t('Yes') : t('No')
    if (value == null) return <span className="muted">–</span>
    if (name === 'color') return <Tag name={String(value)} color={String(value)} />
    return isList(value) ? value.map(nameOf).join(', ') : nameOf(value)
  }
}
