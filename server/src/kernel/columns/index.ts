export { type FiledLinks, filedLinksOf, filedNestedLinks } from './link-columns.ts'
export { fileColumnsOf, type RecordColumn } from './record-columns.ts'
