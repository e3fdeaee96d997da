import { type Module, readJobRecords } from '../../kernel/index.ts'
import { cancelImport } from './cancel-import.ts'
import { eraseFromImports } from './erase-from-imports.ts'
import { importRecord, isImportRow, toAnswer } from './import.ts'
import { projectImports } from './import-operation.ts'
import { importSchema } from './import-schema.ts'
import { importSetup, setImportKeys } from './import-setup.ts'
import { importsUpkeep } from './imports-upkeep.ts'
import { previewImport } from './preview-import.ts'
import { importJob } from './run/import-job.ts'
import { startImport } from './start-import.ts'
import { undoImportByUser } from './undo/undo-import.ts'
import { importUndoJob, importUndosUpkeep } from './undo/undo-job.ts'
import { uploadImport } from './upload-import.ts'

export { keptRecords, organizationOfImport } from './undo/find-undo.ts'
export { importUndoRecord } from './undo/import-undo.ts'
export { undoImport } from './undo/undo-import.ts'

/** `GET /imports` and `GET /imports/:id` (specification, "Imports"). */
const { list: listImports, get: getImport } = readJobRecords({
  record: importRecord,
  group: 'imports',
  path: '/api/v1/crm/imports',
  article: 'an',
  name: 'import',
  scope: 'crm_import_manage',
  listed: 'The newest first, whichever application or user has made them.',
  schema: importSchema,
  project: projectImports,
  show: (row, _, { clock, retention }) =>
    isImportRow(row) ? toAnswer(row, { now: clock.now(), auditSeconds: retention.auditEntries }) : {},
})

/** Files whose rows become records and links (contract section 10.3). */
export const imports: Module = {
  operations: [listImports, uploadImport, getImport, previewImport, startImport, cancelImport],
  cabinetOperations: [importSetup, setImportKeys, undoImportByUser],
  erasePerson: eraseFromImports,
  jobs: [importJob, importUndoJob],
  jobTypes: [{ type: importRecord.kind, scope: 'crm_import_manage' }],
  upkeep: [importsUpkeep, importUndosUpkeep],
}
