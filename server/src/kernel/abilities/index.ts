export {
  defineResource,
  Lookup,
  type NestedStep,
  type RecordState,
  type Replacement,
  type Resource,
  type StateOf,
  type WriteContext,
} from '../record/index.ts'
export { nameOfKind, readScopes, recordSchema } from './ability.ts'
export { activities, defineActivity } from './activities/index.ts'
export { type AddableLinks, addingLink, isLinked } from './add-link.ts'
export { askedSelection } from './asked-selection.ts'
export { batchGet } from './batch-get.ts'
export { batchUpsert } from './batch-upsert.ts'
export * from './bulk/index.ts'
export { changeAll } from './change-all.ts'
export { changeSettings, type SettingsChange } from './change-settings.ts'
export { completeLastChanges } from './complete-last-changes.ts'
export * from './counts/index.ts'
export { encryptAgain } from './encrypt-again.ts'
export { erase } from './erase.ts'
export { defineAttachment, files } from './files/index.ts'
export { storeAndMutate } from './files/store-and-mutate.ts'
export { type FoundBy, type FoundRecord, findingRecords, mostFound, recordsFound } from './find-records.ts'
export { get, type Included } from './get.ts'
export * from './job-records/index.ts'
export { list, pageMeta } from './list.ts'
export { type ListedUsers, listAll } from './list-all.ts'
export { scopesOfFilter, selectionParameters, selectionScopes } from './list-parameters.ts'
export type { ListSelection } from './list-selection.ts'
export { meetConditions } from './meet-conditions.ts'
export { mergeCommit } from './merge/merge-commit.ts'
export { mergePreview } from './merge/merge-preview.ts'
export * from './named/index.ts'
export * from './nested/index.ts'
export { type Holds, type NewestTexts, newestTextsStatement, standsIn, standsInSome } from './newest-texts.sql.ts'
export { fieldWithPhones, normalizingPhones, phonesBehind, readsOtherwise } from './normalize-phones.ts'
export { readPage, readPosition } from './read-page.ts'
export { readOrganizations, readSettings } from './read-settings.ts'
export { recordExists } from './record-exists.ts'
export * from './record-page/index.ts'
export { readRecordTexts, readRecordTitles } from './record-texts.ts'
export { type RecordWithKey, recordsWithKey } from './records-with-key.ts'
export { refusalOfErasure } from './refusals.ts'
export { sweepTakenBack } from './removal/erasure.ts'
export { removalCommit } from './removal/removal-commit.ts'
export { removalPreview } from './removal/removal-preview.ts'
export { endOfErasures, erasureCount, erasuresSeen } from './removal/seen-erasures.ts'
export { remove } from './remove.ts'
export { answerOk, removeUsed, removing } from './remove-used.ts'
export {
  beginsWord,
  contains,
  containsParts,
  countMissing,
  type DividedWords,
  divideWords,
  hasParts,
  isAddress,
  isIndexed,
  isNumber,
  isWhole,
  mayBeWhole,
  namedWords,
  opensWord,
  outerTerms,
  type SearchedTexts,
  type SearchTerm,
  searchFormOfColumn,
  searchTerms,
  spacedNames,
  termOf,
  unmarked,
  wordsOfColumn,
  wordsOfNames,
} from './search-conditions.ts'
export { lookedAt, selectionStatement } from './selection-statements.ts'
export { needUses, type SettingUse, usesIn } from './setting-uses.ts'
export type { SettingsDraft } from './settings-draft.ts'
export { secretColumns } from './stored-secrets.ts'
export { isTagFor, withAddedTags } from './tags/add-tags.ts'
export { tagReplacement, tags } from './tags/record-tags.ts'
export { tagSchema } from './tags/tag-schemas.ts'
export { type NamedTags, namedTags } from './tags/tag-statements.ts'
export * from './take-back/index.ts'
export { type Transition, transition } from './transition.ts'
export { findUnreadableSecrets } from './unreadable-secrets.ts'
export { bodyOf, create, makeChange, update, upsert } from './write-record.ts'
