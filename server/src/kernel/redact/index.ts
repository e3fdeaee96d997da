export { mayRead, projectionScopes } from './projection.ts'
export { type Projected, projectElements, projectRecord, projectRecords } from './records.ts'
