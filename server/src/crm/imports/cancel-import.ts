import { type FileName, forgetFile } from '../../kernel/files/index.ts'
import {
  endJobRecord,
  findJobRecord,
  type JobSurroundings,
  malformed,
  type Operation,
  refusalOfErasure,
  type WriteContext,
} from '../../kernel/index.ts'
import { compileSchema } from '../../kernel/schema/index.ts'
import { actionRow, jobEventRow, type RowChange } from '../../kernel/write/index.ts'
import { changeImport, missingImport, refuseStatus } from './change-import.ts'
import { type ImportRow, importActor, importRecord, isRehearsed } from './import.ts'
import { importOperation } from './import-operation.ts'
import { importTable } from './imports.sql.ts'

const schema = { type: 'object', properties: {}, additionalProperties: false }
const check = compileSchema(schema)

/** The body is empty or `{}`, as generic clients send it. An unknown import is 404 whatever the body is. */
const cancelBody = {
  name: 'ImportCancel',
  schema,
  required: false,
  isCheckedLast: true,
  parse: (body: unknown) => ({ value: body, issues: body === undefined ? [] : check(body, '') }),
} as const

/**
 * `POST /imports/:id/cancel`: cancels an import. Applied rows stay; a running import ends after its current chunk (contract section 10.3).
 */
export const cancelImport: Operation = importOperation({
  id: 'imports.cancel',
  method: 'POST',
  path: '/api/v1/crm/imports/{id}/cancel',
  summary: 'Cancel an import',
  description:
    'Rows that were applied stay. A running import is canceling until the rows at hand are done. The answer quotes no cells.',
  body: cancelBody,
  refuses: [missingImport, refusalOfErasure, ['unprocessable', 'The import has ended already.']],
  async execute(request, services) {
    const { issues } = cancelBody.parse(request.body)
    const { organizationId } = request.actor
    return changeImport(request, services, (row, write) => {
      if (issues.length > 0) return malformed(issues)
      const canceled = cancellation(row, organizationId, write)
      return canceled === null ? refuseStatus(row.status, 'canceled') : { status: 200, ...canceled }
    })
  },
})

/** Cancels an import for an operator. Does nothing if it has already ended. */
export async function endImport(id: string, surroundings: JobSurroundings): Promise<void> {
  const { organizationId, services } = surroundings
  const found = await findJobRecord(importRecord, id, surroundings)
  if (found === null) return
  const end = (row: ImportRow, write: WriteContext) => {
    const canceled = cancellation(row, organizationId, write)
    if (canceled === null || Object.keys(canceled.changed).length === 0) return {}
    const { changed, rows, events, drops } = canceled
    const update = { table: importTable, operation: 'update', row: { id, ...changed } } as const
    return { rows: [update, ...rows], events, drops }
  }
  await endJobRecord(importRecord, id, end, importActor(organizationId, found), services)
}

/** The changes that cancel an import: the members that change, the rows to write, and the file to remove. */
interface Cancellation {
  readonly changed: Partial<ImportRow>
  readonly rows: readonly RowChange[]
  /** The event of its end, if it ends at once. */
  readonly events: readonly Record<string, unknown>[]
  readonly drops: readonly FileName[]
}

/**
 * Cancels an import: at once if no rows are being applied, otherwise after the current chunk. A canceled import is not canceled again. Null
 * for an import that has ended otherwise, unless its file waits for a start.
 */
function cancellation(row: ImportRow, organizationId: string, write: WriteContext): Cancellation | null {
  const { id, status, file_id: fileId, size_bytes: size } = row
  if (status === 'canceled' || status === 'canceling') return { changed: {}, rows: [], events: [], drops: [] }
  if (row.finished_at !== null && !isRehearsed(row)) return null
  const noted = actionRow({ resourceType: 'import', resourceId: id, action: 'import.canceled', version: null }, write)
  if (status === 'running') return { changed: { status: 'canceling' }, rows: [noted], events: [], drops: [] }
  const drops = fileId === null ? [] : [{ organizationId, purpose: 'import', id: fileId } as const]
  const forgotten = drops.map(file => forgetFile({ id: file.id, size }))
  return {
    changed: { status: 'canceled', finished_at: write.now, file_id: null },
    rows: [...forgotten, noted],
    events: [
      jobEventRow({ resourceType: importRecord.kind, resourceId: id, verb: 'canceled', status: 'canceled' }, write),
    ],
    drops,
  }
}
