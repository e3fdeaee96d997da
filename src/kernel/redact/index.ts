export { mayRead, projectionScopes } from './projection.ts'
export { projectElements, projectRecord, projectRecords, type Projected } from './records.ts'
