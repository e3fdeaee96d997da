import { count, facet, type Module, recordPage } from '../kernel/index.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { eraseFromViews } from './views/erase-from-views.ts'
import { viewBounds } from './views/view-bounds.ts'
import { viewOperations } from './views/views.ts'

/** What the pages of the product read and keep beside the records. */
export const cabinet: Module = {
  operations: [],
  bounds: viewBounds,
  erasePerson: eraseFromViews,
  cabinetOperations: kinds => {
    const listed = kinds.resources.filter(({ isSynchronized }) => isSynchronized)
    const pages = listed.map(each => recordPage(each, kinds))
    return [...listed.map(count), ...listed.map(facet), ...pages, ...viewOperations(kinds), listJobs(kinds)]
  },
}
