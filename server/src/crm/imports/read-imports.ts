import { readJobRecords } from '../../kernel/index.ts'
import { importRecord, isImportRow, toAnswer } from './import.ts'
import { projectImports } from './import-operation.ts'
import { importSchema } from './import-schema.ts'

/** `GET /imports` and `GET /imports/:id` (specification, "Imports"). */
export const { list: listImports, get: getImport } = readJobRecords({
  record: importRecord,
  group: 'imports',
  path: '/imports',
  name: 'import',
  scope: 'crm_import_manage',
  texts: {
    list: 'List the imports of the organization',
    listed: 'The newest first, whichever application or user has made them.',
    get: 'Read how far an import has come',
  },
  schema: importSchema,
  project: projectImports,
  show: (row, _, { clock }) => (isImportRow(row) ? toAnswer(row, clock.now()) : {}),
})
