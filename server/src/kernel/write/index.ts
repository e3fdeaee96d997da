export { defineTable, type RowChange } from '../record/table.ts'
export type { SettingsDraft } from './settings-draft.ts'
export { organizationFeed } from './tables.ts'
export type { WorkingSet } from './working-set.ts'
