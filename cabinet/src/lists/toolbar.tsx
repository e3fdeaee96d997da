import { Plus } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Button, lazyPart, MenuButton, MenuItem, NewRowsPill, SearchField } from '../components/index.ts'
import { useKeys } from '../keys/index.ts'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { FilterChips } from './filter-chips.tsx'
import { type FilterDefinition, filtersOf, narrows, type Selection, withFilter } from './filters.rules.ts'
import { focusGrid } from './focus-grid.ts'
import { sameSelection } from './views.rules.ts'
import { type SavedView, useViews } from './views.ts'

const FilterDialog = lazyPart(
  async () => (await import('./filter-dialog.tsx')).FilterDialog,
  ({ onClose }) => onClose,
)
const ViewDialog = lazyPart(
  async () => (await import('./view-dialog.tsx')).ViewDialog,
  ({ onClose }) => onClose,
)

interface ToolbarProps {
  readonly kind: Kind
  readonly selection: Selection
  readonly onShow: (selection: Selection, how?: 'push' | 'replace') => void
  readonly columns: readonly string[]
  /** How many records came into being since the list was read. */
  readonly added: number
  readonly onRefresh: () => void
  /** What stands at its end. */
  readonly children: ReactNode
}

/** What narrows the list, and what to see of it. */
export function Toolbar({ kind, selection, onShow, columns, added, onRefresh, children }: ToolbarProps) {
  const { showing, directories, may } = useWorkspace()
  const { t } = showing.words
  const [edited, setEdited] = useState<FilterDefinition>()
  /** The view that is changed; null: a new one. */
  const [kept, setKept] = useState<SavedView | null>()
  const views = useViews(kind)
  const filters = filtersOf[kind].filter(({ scope }) => scope === undefined || may(scope))
  const current = views.find(view => sameSelection(view.shows.selection, selection))
  const isNew = (narrows(selection) || selection.sort !== '') && current === undefined
  const filter = (name: string, values: readonly string[]) => {
    setEdited(undefined)
    onShow({ ...selection, filters: withFilter(selection.filters, name, values) })
  }
  return (
    <div className="toolbar">
      <ListSearch
        key={kind}
        search={selection.search}
        onSearch={search => onShow({ ...selection, search }, 'replace')}
      />
      <FilterChips kind={kind} filters={selection.filters} onEdit={setEdited} onRemove={name => filter(name, [])} />
      <MenuButton
        label={t('Filter')}
        placement="bottom start"
        onAction={name => setEdited(filters.find(one => one.name === name))}
        button={
          <Button look="quiet" isSmall>
            <Plus className="icon icon-small" />
            {t('Filter')}
          </Button>
        }
      >
        {filters.map(({ name }) => (
          <MenuItem key={name} id={name}>
            {labelOf(name, t, directories)}
          </MenuItem>
        ))}
      </MenuButton>
      {added > 0 ? <NewRowsPill count={added} onPress={onRefresh} /> : null}
      <span className="push row-flex only-wide">
        {isNew ? (
          <Button isSmall onPress={() => setKept(null)}>
            {t('Save view')}
          </Button>
        ) : null}
        {current !== undefined && (current.mine || may('settings_manage')) ? (
          <Button isSmall onPress={() => setKept(current)}>
            {t('Change view')}
          </Button>
        ) : null}
        {children}
      </span>
      <Suspense>
        {edited === undefined ? null : (
          <FilterDialog
            kind={kind}
            filter={edited}
            values={selection.filters[edited.name] ?? []}
            onApply={values => filter(edited.name, values)}
            onClose={() => setEdited(undefined)}
          />
        )}
        {kept === undefined ? null : (
          <ViewDialog
            kind={kind}
            saved={kept && (views.find(({ id }) => id === kept.id) ?? kept)}
            shows={{ selection, columns }}
            onClose={() => {
              setKept(undefined)
              focusGrid()
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

const typingPause = 250

/**
 * The search of the list. The address follows when one stops typing, and the field follows the address: the way back, or a saved view. `/`
 * leads here, Enter and the arrow down lead to the rows.
 */
function ListSearch({ search, onSearch }: { readonly search: string; readonly onSearch: (search: string) => void }) {
  const { t } = useWorkspace().showing.words
  const [typed, setTyped] = useState(search)
  /** The last search of the address, and the one that the field has put there. Any other comes from a view, or from Back. */
  const [shown, setShown] = useState({ address: search, sent: search })
  if (shown.address !== search) {
    setShown({ address: search, sent: search })
    if (search !== shown.sent) setTyped(search)
  }
  const place = useRef<HTMLDivElement>(null)
  const send = (text: string) => {
    setShown({ ...shown, sent: text })
    onSearch(text)
  }
  const latest = useRef(send)
  useEffect(() => {
    latest.current = send
  })
  useEffect(() => {
    if (typed.trim() === search) return undefined
    const timer = setTimeout(() => latest.current(typed.trim()), typingPause)
    return () => clearTimeout(timer)
  }, [typed, search])
  useKeys([{ keys: '/', text: t('Search in the list'), run: () => place.current?.querySelector('input')?.focus() }])
  const leave = (key: string) => {
    if (key !== 'ArrowDown' && key !== 'Enter') return
    send(typed.trim())
    document.querySelector<HTMLElement>('[role="grid"]')?.focus()
  }
  return (
    <div ref={place} className="list-search">
      <SearchField
        label={t('Search')}
        value={typed}
        onChange={setTyped}
        maxLength={200}
        onKeyDown={event => {
          leave(event.key)
          // Keys such as Ctrl K are for the page.
          event.continuePropagation()
        }}
      />
    </div>
  )
}
