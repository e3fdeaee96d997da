export { count } from './count.ts'
export { filterParameters } from './counted-selection.ts'
export { facet } from './facet.ts'
