import type { FileName } from '../../../kernel/files/index.ts'
import { discardDropped, malformed, type Operation, refusalOfErasure } from '../../../kernel/index.ts'
import { compileSchema, Refusal } from '../../../kernel/schema/index.ts'
import { cancellation } from '../run/cancellation.ts'
import { changeImport, missingImport, refuseStatus } from './change-import.ts'
import { importOperation } from './import-operation.ts'

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
