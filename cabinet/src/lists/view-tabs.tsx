import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { narrows, type Selection } from './filters.rules.ts'
import { taskViews } from './task-views.rules.ts'
import { sameSelection, type ViewDefinition } from './views.rules.ts'
import { useViews } from './views.ts'

interface ViewTabsProps {
  readonly kind: Kind
  readonly selection: Selection
  readonly onShow: (view: ViewDefinition) => void
}

const everything: ViewDefinition = { selection: { search: '', filters: {}, sort: '' }, columns: [] }

/** The views of the list: everything, those that every list of the kind has, and the saved ones. */
export function ViewTabs({ kind, selection, onShow }: ViewTabsProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const own = useViews(kind).map(({ id, name, shows }) => ({ id, name, shows }))
  const given =
    kind === 'tasks'
      ? taskViews(organization.operatorUuid, showing.now).map(({ name, shows }) => ({ id: name, name: t(name), shows }))
      : []
  const isAll = !narrows(selection) && selection.sort === ''
  return (
    <nav className="tabs" aria-label={t('Saved views')}>
      <button
        type="button"
        className="tab"
        aria-current={isAll ? 'page' : undefined}
        onClick={() => onShow(everything)}
      >
        {t('All')}
      </button>
      {[...given, ...own].map(({ id, name, shows }) => (
        <button
          key={id}
          type="button"
          className="tab"
          aria-current={sameSelection(shows.selection, selection) ? 'page' : undefined}
          onClick={() => onShow(shows)}
        >
          {name}
        </button>
      ))}
    </nav>
  )
}
