import type { Module } from '../../kernel/index.ts'
import { eraseFromImports } from './erase-from-imports.ts'
import { importsUpkeep } from './imports-upkeep.ts'
import { cancelImport } from './requests/cancel-import.ts'
import { previewImport } from './requests/preview-import.ts'
import { getImport, listImports } from './requests/read-imports.ts'
import { startImport } from './requests/start-import.ts'
import { uploadImport } from './requests/upload-import.ts'
import { importJob } from './run/import-job.ts'

/** Files whose rows become records and links (contract section 10.3). */
export const imports: Module = {
  operations: [listImports, uploadImport, getImport, previewImport, startImport, cancelImport],
  erasePerson: eraseFromImports,
  jobs: [importJob],
  upkeep: [importsUpkeep],
}
