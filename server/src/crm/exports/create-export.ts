import type { FiledRows } from '../../kernel/columns/index.ts'
import {
  bounds,
  type Caller,
  defineOperation,
  type Idempotency,
  type Mutation,
  mayRead,
  mutate,
  type Operation,
  type Refusal,
  type Request,
  refuse,
  refuseFiles,
  type Services,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { actionRow } from '../../kernel/write/index.ts'
import { exportBody, inputOf } from './export-body.ts'
import { receiptSchema } from './export-schema.ts'
import { countUnfinished, exportTable, selectExportOfKey } from './exports.sql.ts'
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
      return mutate(admission(types, request, services, noRoom), request.writer, services, data => ({
        status: 202,
        data,
      }))
    },
  })
}

function admission(
  types: Readonly<Record<ExportType, FiledRows>>,
  { body, caller, writer }: Request,
  services: Services,
  noRoom: Refusal | null,
): Mutation<Receipt> {
  const { type, csvSafe, filters } = inputOf(body)
  const { idempotency } = writer
  if (idempotency === null) throw new Error('an export has no key')
  return {
    needs(needs) {
      needs.toAdd({ kind: 'export' })
      needs.toLoad([
        { name: 'export_of_key', statement: selectExportOfKey, values: [caller.keysOf, idempotency.key] },
        { name: 'unfinished', statement: countUnfinished, values: [] },
      ])
    },
    decide(work, write) {
      const [known] = work.extra('export_of_key')
      if (known !== undefined) return repeated(known, idempotency)
      if (noRoom !== null) return noRoom
      if (Number(work.extra('unfinished')[0]?.unfinished) >= bounds.organizationExports.most)
        return services.admission.refuse('organizationExports')
      const id = newId()
      const row = {
        id,
        application_id: caller.keysOf,
        token_id: caller.credential.token.id,
        idempotency_key: idempotency.key,
        fingerprint: `\\x${idempotency.fingerprint.toString('hex')}`,
        type,
        csv_safe: csvSafe,
        filters,
        redacted: hiddenOf(types[type], caller),
        status: 'queued',
        file_name: `${type.replace('_', '-')}-${write.now.slice(0, 10)}.csv`,
        created_at: write.now,
      }
      return {
        result: { id, status: 'queued' },
        rows: [
          { table: exportTable, operation: 'insert', row },
          actionRow({ resourceType: 'export', resourceId: id, action: 'export.created', version: null }, write),
        ],
        jobs: [{ job: exportJob, payload: { exportId: id }, key: id }],
      }
    },
  }
}

/** What the file is not to have. */
function hiddenOf({ projections }: FiledRows, { scopes }: Pick<Caller, 'scopes'>): string[] {
  return projections.filter(projection => !mayRead(projection, scopes))
}

/** What the answer tells of an export. */
interface Receipt {
  readonly id: unknown
  readonly status: unknown
}

/** The answer to a key that has made an export, whose stored answer is gone by now (contract section 3, "Retention"). */
function repeated(known: Row, { fingerprint }: Idempotency) {
  if (!(known.fingerprint instanceof Buffer) || !known.fingerprint.equals(fingerprint))
    return refuse('idempotency_conflict', { firstUsedAt: known.created_at })
  return { result: { id: known.id, status: known.status }, isReplay: true as const }
}
