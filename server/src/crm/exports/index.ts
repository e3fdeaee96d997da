import type { Module } from '../../kernel/index.ts'
import { createExport } from './create-export.ts'
import { exportsUpkeep } from './exports-upkeep.ts'
import { getExport, listExports } from './read-exports.ts'
import { exportJob } from './run-export.ts'
import { rowsOfTypes } from './types.ts'

/** Files with all records of a kind, or all links between two kinds (contract section 10.2). */
export const exports: Module = {
  operations: kinds => {
    const types = rowsOfTypes(kinds)
    return [listExports(types), createExport(types), getExport(types)]
  },
  jobs: [exportJob],
  upkeep: [exportsUpkeep],
}
