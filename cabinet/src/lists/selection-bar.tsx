import { useQueryClient } from '@tanstack/react-query'
import { Trash2, User, X } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { request, sentenceOf } from '../api/index.ts'
import { Button, IconButton, lazyPart, MenuButton, MenuItem, showToast } from '../components/index.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { listRecords } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Selection } from './filters.rules.ts'
import { focusGrid } from './focus-grid.ts'
import { type SelectedRecords, targetsOf, withRecords } from './selected.rules.ts'
import { rowsKey } from './use-rows.ts'

const DeleteRowsDialog = lazyPart(
  async () => (await import('../deletion/delete-rows-dialog.tsx')).DeleteRowsDialog,
  ({ onClose }) => onClose,
)

interface SelectionBarProps {
  readonly kind: Kind
  readonly rows: readonly RecordState[]
  readonly selected: SelectedRecords
  readonly selection: Selection
  /** Selects other records as well. */
  readonly onAdd: (records: readonly RecordState[]) => void
  readonly onUnselect: (ids: readonly string[]) => void
  readonly onClear: () => void
}

/** The most records that a bulk job changes. */
const mostTargets = 10_000

/** What can be done with the selected records: a bulk job gives them to an operator, and they can be deleted. */
export function SelectionBar({ kind, rows, selected, selection, onAdd, onUnselect, onClear }: SelectionBarProps) {
  const { organization, directories, showing, may } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const reading = useRef(new AbortController())
  useEffect(() => () => reading.current.abort(), [])
  /** How many were selected when all of the filter were. */
  const [whole, setWhole] = useState<number>()
  /** Whether the filter has more than can be selected. */
  const [isCut, setCut] = useState(false)
  const selectAll = async () => {
    reading.current.abort()
    const { signal } = (reading.current = new AbortController())
    try {
      const all = await readAll(organization.id, kind, selection, signal)
      setWhole(withRecords(selected, all.records).size)
      setCut(!all.isWhole)
      onAdd(all.records)
    } catch (error) {
      if (!signal.aborted) showToast({ text: sentenceOf(error, showing.words) })
    }
  }
  const member = kind === 'tasks' ? 'assigneeUuid' : 'ownerUuid'
  const [isDeleting, setDeleting] = useState(false)
  const mayChange = may(kindFacts[kind].write) && may('crm_bulk_manage')
  const assign = async (uuid: string) => {
    const targets = targetsOf(selected, rows)
    const body = { entityType: kindFacts[kind].singular, action: 'update', targets, changes: { [member]: uuid } }
    try {
      await request('POST', `/o/${organization.id}/crm/bulk-jobs`, { body, key: crypto.randomUUID() })
      showToast({
        text: t('A job changes {count, plural, one {# record} other {# records}}.', { count: targets.length }),
      })
      onClear()
      void client.invalidateQueries({ queryKey: rowsKey(organization.id, kind) })
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
  }
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('Selected records')}>
      <span>{t('{count} selected', { count: selected.size })}</span>
      {selected.size === whole ? (
        isCut ? (
          <span role="status">{t('the first {count} of this filter', { count: mostTargets })}</span>
        ) : null
      ) : (
        <Button look="quiet" isSmall onPress={() => void selectAll()}>
          {t('Select all of this filter')}
        </Button>
      )}
      <span className="divide" />
      {mayChange ? (
        <MenuButton
          label={t('Owner')}
          placement="top"
          onAction={key => void assign(String(key))}
          button={
            <Button look="quiet" isSmall>
              <User className="icon icon-small" />
              {t('Owner')}
            </Button>
          }
        >
          {(directories.operators ?? [])
            .filter(({ isActive }) => isActive)
            .map(({ uuid, name }) => (
              <MenuItem key={uuid} id={uuid}>
                {name}
              </MenuItem>
            ))}
        </MenuButton>
      ) : null}
      {may(kindFacts[kind].remove) ? (
        <Button look="danger-quiet" isSmall onPress={() => setDeleting(true)}>
          <Trash2 className="icon icon-small" />
          {t('Delete')}
        </Button>
      ) : null}
      <IconButton isSmall label={t('Select nothing')} onPress={onClear}>
        <X className="icon icon-small" />
      </IconButton>
      {isDeleting ? (
        <Suspense>
          <DeleteRowsDialog
            kind={kind}
            rows={rows}
            targets={targetsOf(selected, rows)}
            onClose={() => setDeleting(false)}
            onDone={ids => {
              setDeleting(false)
              onUnselect(ids)
              focusGrid()
            }}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

/** The records of a list, as many as a job can change, and whether these are all. */
async function readAll(
  organization: string,
  kind: Kind,
  selection: Selection,
  signal: AbortSignal,
): Promise<{ readonly records: readonly RecordState[]; readonly isWhole: boolean }> {
  const all: RecordState[] = []
  let cursor: string | null = null
  do {
    const page = await listRecords(organization, kind, selection, cursor, signal)
    all.push(...page.records)
    cursor = page.nextCursor
  } while (cursor !== null && all.length < mostTargets)
  return { records: all.slice(0, mostTargets), isWhole: cursor === null && all.length <= mostTargets }
}
