export { Needs } from './needs.ts'
export { defineTable, type RowChange, type Table } from './table.ts'
export type { Effect, WorkingSet } from './working-set.ts'
