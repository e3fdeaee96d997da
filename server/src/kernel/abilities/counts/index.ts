export { count } from './count.ts'
export { facet } from './facet.ts'
