export { defineTable, type RowChange } from './table.ts'
export type { WorkingSet } from './working-set.ts'
