export {
  mayRead,
  type Projected,
  projectElements,
  projectionScopes,
  projectRecord,
  projectRecords,
} from './projection.ts'
