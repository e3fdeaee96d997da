import { type FileName, forgetFile } from '../../kernel/files/index.ts'
import {
  discardDropped,
  endJobRecord,
  findJobRecord,
  type JobSurroundings,
  malformed,
  type Operation,
  refusalOfErasure,
  type WriteContext,
} from '../../kernel/index.ts'
import { compileSchema, Refusal } from '../../kernel/schema/index.ts'
import { actionRow, type RowChange } from '../../kernel/write/index.ts'
import { changeImport, missingImport, refuseStatus } from './change-import.ts'
import { type ImportRow, importRecord, importWriter } from './import.ts'
import { importOperation } from './import-operation.ts'
import { importTable } from './imports.sql.ts'

const schema = { type: 'object', properties: {}, additionalProperties: false }
const check = compileSchema(schema)

/** No body or `{}`, as generic clients send it. An import that is unknown is 404 whatever is sent. */
const cancelBody = {
  name: 'ImportCancel',
  schema,
  required: false,
  isCheckedLast: true,
  parse: (body: unknown) => ({ value: body, issues: body === undefined ? [] : check(body, '') }),
} as const

/**
 * `POST /imports/:id/cancel`: ends an import. Rows that were applied stay; a running import ends when the rows at hand are
 * done (contract section 10.3).
 */
export const cancelImport: Operation = importOperation({
  id: 'imports.cancel',
  method: 'POST',
  path: '/imports/{id}/cancel',
  summary: 'Cancel an import',
  description:
    'Rows that were applied stay. A running import is canceling until the rows at hand are done. The answer quotes no cells.',
  body: cancelBody,
  refuses: [missingImport, refusalOfErasure, ['unprocessable', 'The import has ended already.']],
  async execute(request, services) {
    const { issues } = cancelBody.parse(request.body)
    const { organizationId } = request.writer
    let dropped: FileName | null = null
    const outcome = await changeImport(request, services, (row, write) => {
      if (issues.length > 0) return malformed(issues)
      const canceled = cancellation(row, organizationId, write)
      dropped = canceled?.dropped ?? null
      return canceled === null ? refuseStatus(row.status, 'canceled') : { status: 200, ...canceled }
    })
    const isCanceled = !(outcome instanceof Refusal) && outcome.replayed !== true
    if (isCanceled && dropped !== null) await discardDropped([dropped], request, services)
    return outcome
  },
})

/** Cancels an import for an operator. Does nothing if it has ended already. */
export async function endImport(id: string, surroundings: JobSurroundings): Promise<void> {
  const { organizationId, services } = surroundings
  const found = await findJobRecord(importRecord, id, surroundings)
  if (found === null) return
  let dropped: FileName | null = null
  const end = (row: ImportRow, write: WriteContext) => {
    const canceled = cancellation(row, organizationId, write)
    if (canceled === null || Object.keys(canceled.changed).length === 0) return {}
    dropped = canceled.dropped
    const update = { table: importTable, operation: 'update', row: { id, ...canceled.changed } } as const
    return { rows: [update, ...canceled.rows] }
  }
  await endJobRecord(importRecord, id, end, importWriter(organizationId, found), services)
  if (dropped !== null) await services.files.discard([dropped])
}

/** What a cancel makes of an import: the members that change, what is written with them, and the file that goes. */
interface Cancellation {
  readonly changed: Partial<ImportRow>
  readonly rows: readonly RowChange[]
  readonly dropped: FileName | null
}

/**
 * Cancels an import: at once where no row is at work, otherwise when those at hand are done. What is canceled already is
 * not canceled again. Null for an import that has ended otherwise.
 */
function cancellation(row: ImportRow, organizationId: string, write: WriteContext): Cancellation | null {
  const { id, status, file_id: fileId, size_bytes: size } = row
  if (status === 'canceled' || status === 'canceling') return { changed: {}, rows: [], dropped: null }
  if (row.finished_at !== null) return null
  const noted = actionRow({ resourceType: 'import', resourceId: id, action: 'import.canceled', version: null }, write)
  if (status === 'running') return { changed: { status: 'canceling' }, rows: [noted], dropped: null }
  const dropped = fileId === null ? null : ({ organizationId, purpose: 'import', id: fileId } as const)
  const forgotten = dropped === null ? [] : [forgetFile({ id: dropped.id, size })]
  return {
    changed: { status: 'canceled', finished_at: write.now, file_id: null },
    rows: [...forgotten, noted],
    dropped,
  }
}
