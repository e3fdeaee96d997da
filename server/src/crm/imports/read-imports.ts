import { readJobRecords } from '../../kernel/index.ts'
import { importRecord, isImportRow, toAnswer } from './import.ts'
import { projectImports } from './import-operation.ts'
import { importSchema } from './import-schema.ts'

/** `GET /imports` and `GET /imports/:id` (specification, "Imports"). */
export const { list: listImports, get: getImport } = readJobRecords({
  record: importRecord,
  group: 'imports',
  path: '/api/v1/crm/imports',
  article: 'an',
  name: 'import',
  scope: 'crm_import_manage',
  listed: 'The newest first, whichever application or user has made them.',
  schema: importSchema,
  project: projectImports,
  show: (row, _, { clock }) => (isImportRow(row) ? toAnswer(row, clock.now()) : {}),
})
