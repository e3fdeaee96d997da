import type { Module } from '../../kernel/index.ts'
import { createExport } from './create-export.ts'
import { exportRecord } from './export.ts'
import { exportsUpkeep } from './exports-upkeep.ts'
import { cancelExport } from './finish-export.ts'
import { readExports } from './read-exports.ts'
import { exportJob } from './run-export.ts'
import { rowsOfTypes } from './types.ts'

/** Exports of all records of a kind, or of all links between two kinds (contract section 10.2). */
export const exports: Module = {
  operations: kinds => {
    const types = rowsOfTypes(kinds)
    const { list, get } = readExports(types)
    return [list, createExport(types), get]
  },
  cabinetOperations: [cancelExport],
  jobs: [exportJob],
  jobTypes: [{ type: exportRecord.kind, scope: 'crm_export_manage' }],
  upkeep: [exportsUpkeep],
}
