import type { FiledRows } from '../../kernel/columns/index.ts'
import {
  admitJobRecord,
  type Caller,
  defineOperation,
  type Mutation,
  mayRead,
  mutate,
  type Operation,
  type Refusal,
  type Request,
  refuseFiles,
  type Services,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { actionRow } from '../../kernel/write/index.ts'
import { exportRecord } from './export.ts'
import { exportBody, inputOf } from './export-body.ts'
import { receiptSchema } from './export-schema.ts'
import { exportTable } from './exports.sql.ts'
import { scopesOfFilters } from './filters.ts'
import { exportJob } from './run-export.ts'
import type { ExportType } from './types.ts'

/**
 * `POST /exports`: queues a file with all records or links of a type (contract section 10.2). The key makes one export for as long
 * as the export is kept.
 */
export function createExport(types: Readonly<Record<ExportType, FiledRows>>): Operation {
  return defineOperation({
    id: 'exports.create',
    method: 'POST',
    path: '/exports',
    summary: 'Export records or links to a file',
    description:
      'The file is written in the background: comma-separated values in UTF-8, all as they are at one moment, with the headers that ' +
      'imports know. What the token has no scope to read has no columns. Repeated with its Idempotency-Key, the request makes no ' +
      'second export for as long as the first one is kept.',
    scopes: ['crm_export_manage'],
    success: [202],
    body: exportBody(types),
    answer: { data: receiptSchema },
    valueScopes: body => scopesOfFilters(inputOf(body).filters),
    async execute(request, services) {
      const noRoom = await refuseFiles(services)
      return mutate(admission(types, request, services, noRoom), request.writer, services)
    },
  })
}

const admit = admitJobRecord(exportRecord, { bound: 'organizationExports', repeated: 'j.status' })

function admission(
  types: Readonly<Record<ExportType, FiledRows>>,
  request: Request,
  services: Services,
  noRoom: Refusal | null,
): Mutation {
  const { caller } = request
  const { type, csvSafe, filters } = inputOf(request.body)
  const admitted = admit(request, services)
  return {
    needs: admitted.needs,
    decide(work, write) {
      const refused = admitted.known(work) ?? noRoom ?? admitted.full(work)
      if (refused !== null) return refused
      const id = newId()
      const { fingerprint, ...asked } = admitted.asked
      const row = {
        id,
        ...asked,
        fingerprint: `\\x${fingerprint.toString('hex')}`,
        type,
        csv_safe: csvSafe,
        filters,
        redacted: hiddenOf(types[type], caller),
        status: 'queued',
        file_name: `${type.replace('_', '-')}-${write.now.slice(0, 10)}.csv`,
        created_at: write.now,
      }
      return {
        ...admitted.accepted(id),
        rows: [
          { table: exportTable, operation: 'insert', row },
          actionRow({ resourceType: 'export', resourceId: id, action: 'export.created', version: null }, write),
        ],
        jobs: [exportJob.request(id)],
      }
    },
  }
}

/** What the file is not to have. */
function hiddenOf({ projections }: FiledRows, { scopes }: Pick<Caller, 'scopes'>): string[] {
  return projections.filter(projection => !mayRead(projection, scopes))
}
