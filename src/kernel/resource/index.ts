export { basePath, crmPrefix, deleteScopes, readScopes, recordSchema, writeScopes } from './ability.ts'
export { batchGet } from './batch-get.ts'
export { batchUpsert } from './batch-upsert.ts'
export { create } from './create.ts'
export { decideUpdate, isAnonymized, stepTo } from './decide.ts'
export { defineResource, type ResourceDeclaration } from './define.ts'
export { erase } from './erase.ts'
export { get } from './get.ts'
export { list, pageMeta } from './list.ts'
export { represent, toRecord } from './record.ts'
export { remove } from './remove.ts'
export type {
  ExtraNeed,
  RecordHead,
  RecordState,
  Resource,
  Rules,
  SettleContext,
  StateOf,
  WriteContext,
} from './resource.ts'
export { tags } from './tags/tags.ts'
export { update } from './update.ts'
export { upsert } from './upsert.ts'
export { bodyOf, decisionOf, writing } from './write-record.ts'
