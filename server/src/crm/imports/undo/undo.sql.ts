import { Lookup } from '../../../kernel/index.ts'
import { claimedStatement } from '../../../kernel/sql/index.ts'
import { defineTable } from '../../../kernel/write/index.ts'
import { importUndoRecord } from './import-undo.ts'

/** The records of which an undo leaves something. */
export const importUndoKept = defineTable('import_undo_kept', ['undo_id', 'record_id'], {
  undo_id: 'uuid',
  record_id: 'uuid',
  kind: 'text',
  reason: 'text',
  fields: 'text[]',
})

const selectKeptAmong = claimedStatement(
  'select_kept_among_records',
  `select k.record_id as id, k.reason, k.fields from import_undo_kept k
    where k.organization_id = $1 and k.undo_id = $2 and k.record_id = any ($3::uuid[])`,
)

/** Those of the records that the undo has listed before. */
export const keptAmong = (undoId: string, recordIds: readonly string[]) =>
  Lookup.rows(selectKeptAmong, [undoId, recordIds])

/** $1 organization, $2 import: its undo, locked. */
export const lockUndoOfImport = claimedStatement(
  'lock_undo_of_import',
  `select ${importUndoRecord.columns} from import_undos j
    where j.organization_id = $1 and j.import_id = $2 for no key update`,
)
