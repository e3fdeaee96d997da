import type { Module } from '../../kernel/index.ts'
import { cancelImport } from './cancel-import.ts'
import { eraseFromImports } from './erase-from-imports.ts'
import { importsUpkeep } from './imports-upkeep.ts'
import { previewImport } from './preview-import.ts'
import { getImport, listImports } from './read-imports.ts'
import { importJob } from './run/import-job.ts'
import { startImport } from './start-import.ts'
import { uploadImport } from './upload-import.ts'

/** Files whose rows become records and links (contract section 10.3). */
export const imports: Module = {
  operations: [listImports, uploadImport, getImport, previewImport, startImport, cancelImport],
  erasePerson: eraseFromImports,
  jobs: [importJob],
  upkeep: [importsUpkeep],
}
