export {
  columnOf,
  idsOf,
  isAnonymized,
  presentingRead,
  receipt,
  recordRows,
  represent,
  toRecord,
} from './codec.ts'
export {
  childKinds,
  defineNested,
  embeddedKind,
  isNested,
  type Kinds,
  looseKinds,
  type Nested,
  type NestedDeclaration,
  topOf,
} from './define-nested.ts'
export { defineResource } from './define-resource.ts'
export { keyLookup } from './key-lookup.ts'
export { Lookup } from './lookup.ts'
export { nestedStatements, numberedPlace, parentColumn, placeStatement } from './nested-statements.ts'
export { headColumn, headOf, headSettings } from './record-head.ts'
export { bodyOfFields, expectedVersionSchema, externalIdSchema, jsonBody, tidy, valueScopesOf } from './record-input.ts'
export {
  columnsNamed,
  externalKey,
  recordStatements,
  selectedColumns,
  visibleIn,
  wantedIds,
} from './record-statements.ts'
export type {
  LinkField,
  NestedStep,
  RecordCodec,
  RecordFilter,
  RecordState,
  ReferenceField,
  Replacement,
  Resource,
  SettleContext,
  StateOf,
  WriteContext,
} from './resource.ts'
export { defineTable, type RowChange, type Table, tenantColumn } from './table.ts'
