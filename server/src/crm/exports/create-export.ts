import type { FiledRows } from '../../kernel/columns/index.ts'
import {
  admitJobRecord,
  answerAdmitted,
  type Caller,
  defineOperation,
  mayRead,
  mutate,
  type Operation,
  refuseFiles,
} from '../../kernel/index.ts'
import { exportRecord } from './export.ts'
import { exportBody, exportInputOf } from './export-body.ts'
import { exportReceiptSchema } from './export-schema.ts'
import { exportTable } from './exports.sql.ts'
import { scopesOfFilters } from './filters.ts'
import { exportJob } from './run-export.ts'
import type { ExportType } from './types.ts'

/**
 * `POST /exports`: queues an export of all records or links of a type (contract section 10.2). An idempotency key creates one export for as
 * long as the export is kept.
 */
export function createExport(types: Readonly<Record<ExportType, FiledRows>>): Operation {
  return defineOperation({
    id: 'exports.create',
    method: 'POST',
    path: '/api/v1/crm/exports',
    summary: 'Export records or links to a file',
    description:
      'The file is written in the background: comma-separated values in UTF-8, all as they are at one moment, with the headers that ' +
      'imports know. What the token has no scope to read has no columns. Repeated with its Idempotency-Key, the request makes no ' +
      'second export for as long as the first one is kept.',
    scopes: ['crm_export_manage'],
    needsFreshSignIn: true,
    success: [202],
    body: exportBody(types),
    answer: { data: exportReceiptSchema },
    valueScopes(body) {
      const { type, filters } = exportInputOf(body, types)
      return scopesOfFilters(filters, types[type].owner)
    },
    async execute(request, services) {
      const noRoom = await refuseFiles(services)
      const { type, csvSafe, filters } = exportInputOf(request.body, types)
      const redacted = hiddenOf(types[type], request.caller)
      const mutation = admit(request, services, {
        decide: (_, { now }) =>
          noRoom ??
          ((id, { applicationId, tokenId, startedBy, key, fingerprint }) => {
            const row = {
              id,
              application_id: applicationId,
              token_id: tokenId,
              started_by: startedBy,
              idempotency_key: key,
              fingerprint: `\\x${fingerprint.toString('hex')}`,
              type,
              csv_safe: csvSafe,
              filters,
              redacted,
              status: 'queued',
              file_name: `${type.replace('_', '-')}-${now.slice(0, 10)}.csv`,
              created_at: now,
            }
            return { rows: [{ table: exportTable, operation: 'insert', row }] }
          }),
      })
      return mutate(mutation, request.actor, services, answerAdmitted)
    },
  })
}

const admit = admitJobRecord(exportRecord, exportJob, { bound: 'organizationExports', repeated: 'j.status' })

/** The projections whose columns the file omits. */
function hiddenOf({ projections }: FiledRows, { scopes }: Pick<Caller, 'scopes'>): string[] {
  return projections.filter(projection => !mayRead(projection, scopes))
}
