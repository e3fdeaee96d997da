import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { narrows, type Selection } from './filters.rules.ts'
import { sameSelection, type ViewDefinition } from './views.rules.ts'
import { useViews } from './views.ts'

interface ViewTabsProps {
  readonly kind: Kind
  readonly selection: Selection
  readonly onShow: (view: ViewDefinition) => void
}

const everything: ViewDefinition = { selection: { search: '', filters: {}, sort: '' }, columns: [] }

/** The saved views of the list, with everything in front. */
export function ViewTabs({ kind, selection, onShow }: ViewTabsProps) {
  const { t } = useWorkspace().showing.words
  const views = useViews(kind)
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
      {views.map(({ id, name, shows }) => (
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
