import type { Module } from '../../kernel/index.ts'
import { changeFeedOperations } from './change-feed.ts'
import { live } from './live/live.ts'

export { changeSchema, projectChanges, toChange } from './change.ts'
export { type ChangeRow, selectChanges, selectedChange } from './feed.sql.ts'

export const changes: Module = { operations: changeFeedOperations, cabinetOperations: kinds => [live(kinds)] }
