export {
  type Condition,
  conditionText,
  type FiledRows,
  filedLinkRecords,
  filedLinks,
  filedRecords,
} from './filed-rows.ts'
export { type FiledLinks, filedLinksOf, filedNestedLinks } from './link-columns.ts'
export { fileColumnsOf, operatorEmails, type RecordColumn, tagNames } from './record-columns.ts'
