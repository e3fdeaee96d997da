export { mayRead, projectionScopes } from './projection.ts'
export { projectElements, projectRecord, projectRecords } from './records.ts'
