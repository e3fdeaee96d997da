import { count, facet, type Kinds, type Module, type Resource, recordPage } from '../kernel/index.ts'
import { dealBoard } from './board/board.ts'
import { boardBounds } from './board/board-bounds.ts'
import { jobLine } from './jobs/job-line.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { eraseFromViews } from './views/erase-from-views.ts'
import { viewBounds } from './views/view-bounds.ts'
import { viewOperations } from './views/views.ts'

/** What the pages of the product read and keep beside the records. */
export const cabinet: Module = {
  operations: [],
  bounds: { ...viewBounds, ...boardBounds },
  erasePerson: eraseFromViews,
  cabinetOperations: kinds => {
    const listed = kinds.resources.filter(({ isSynchronized }) => isSynchronized)
    const pages = listed.map(each => recordPage(each, kinds))
    const board = dealBoard(kindNamed('deal', kinds), kindNamed('company', kinds))
    return [
      ...listed.map(count),
      ...listed.map(facet),
      ...pages,
      board,
      ...viewOperations(kinds),
      listJobs(kinds),
      jobLine,
    ]
  },
}

function kindNamed(kind: string, { resources }: Kinds): Resource {
  const found = resources.find(each => each.kind === kind)
  if (found === undefined) throw new Error(`no module declares the kind "${kind}", which the cabinet shows`)
  return found
}
