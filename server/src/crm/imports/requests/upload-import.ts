import { findForm } from '../../../kernel/documents/index.ts'
import { recordFile } from '../../../kernel/files/index.ts'
import {
  bounds,
  limits,
  mutate,
  type Operation,
  type Request,
  type Services,
  type Success,
} from '../../../kernel/index.ts'
import { isObject, newId, Refusal, refuse, violates } from '../../../kernel/schema/index.ts'
import { actionRow, type RowChange } from '../../../kernel/write/index.ts'
import { entityTypes, refusedEntityType } from '../fields/entity-types.ts'
import { noCounters, toAnswer } from '../import.ts'
import { countUnfinishedImports, importTable } from '../imports.sql.ts'
import { importOperation } from './import-operation.ts'
import { refusingUnreadable } from './unreadable.ts'

const mebibyte = 1024 * 1024

/** `POST /imports`: takes a file in. Nothing changes in the CRM before the import is started (contract section 10.3). */
export const uploadImport: Operation = importOperation({
  id: 'imports.upload',
  method: 'POST',
  path: '/imports',
  summary: 'Upload a file to import',
  description:
    `CSV or XLSX, known by its content, of at most ${limits.importFileBytes} bytes, ${limits.importRows} rows and ` +
    `${bounds.importColumns.most} columns. Nothing changes in the CRM before the start. An upload that is not started ` +
    'within 7 days fails, and its file goes.',
  success: [201],
  body: {
    form: 'multipart',
    limit: limits.importFileBytes + mebibyte,
    files: {
      file: { description: 'The file.', required: true, most: 1, maxBytes: limits.importFileBytes },
    },
    texts: {
      entityType: {
        description: `What the rows are about. ${refusedEntityType} is refused (422).`,
        required: true,
        maxLength: 50,
        words: [refusedEntityType, ...entityTypes],
      },
    },
  },
  refuses: ['unprocessable'],
  execute: upload,
})

async function upload(request: Request, services: Services): Promise<Success | Refusal> {
  const {
    writer,
    body,
    files: [file],
    reader,
  } = request
  if (file === undefined) throw new Error('an upload has no file')
  if (file.tooLarge) return refuse('payload_too_large', { limitBytes: limits.importFileBytes })
  const { entityType: given } = isObject(body) ? body : {}
  const entityType = entityTypes.find(type => type === given) ?? null
  const { path, size, sha256, fileName: name, mediaType } = file
  const refusal = entityType === null ? refuseBundle() : await refusalOf(path, reader)
  const { organizationId, applicationId, author } = writer
  const about = { organizationId, purpose: 'import', name, mediaType } as const
  const kept = refusal === null ? await services.files.keep({ ...about, source: { path, size, sha256 } }) : null
  const id = newId()
  // If this throws, nobody may know whether the file is recorded. One that is not is swept.
  const outcome = await mutate(
    {
      needs(needs) {
        needs.toAdd({ kind: 'import' })
        needs.toLoad([{ name: 'unfinished', statement: countUnfinishedImports, values: [] }])
      },
      decide(work, write) {
        if (kept === null || entityType === null) return refusal ?? refuseBundle()
        if (Number(work.extra('unfinished')[0]?.unfinished) >= bounds.organizationImports.most)
          return services.admission.refuse('organizationImports')
        const row = {
          id,
          entity_type: entityType,
          status: 'uploaded' as const,
          file_name: name,
          size_bytes: size,
          sha256,
          file_id: kept.id,
          form: null,
          mapping: null,
          columns: null,
          dedup_policy: null,
          defaults: null,
          dry_run: false,
          manages_custom_fields: false,
          row_count: null,
          position: 0,
          counters: noCounters,
          errors: [],
          errors_file_id: null,
          rows_file_id: null,
          failure: null,
          application_id: applicationId,
          author_type: author.type === 'user' ? ('user' as const) : ('application' as const),
          author_uuid: author.uuid,
          created_at: write.now,
          started_at: null,
          finished_at: null,
        }
        return {
          status: 201,
          data: toAnswer({ ...row, persons_erased: false }, Date.parse(write.now)),
          meta: {},
          shown: [],
          rows: [
            holdingPersons(recordFile(kept, write.now)),
            { table: importTable, operation: 'insert', row },
            actionRow({ resourceType: 'import', resourceId: id, action: 'import.created', version: null }, write),
          ],
        }
      },
    },
    writer,
    services,
  )
  const isRecorded = !(outcome instanceof Refusal) && outcome.replayed !== true
  if (kept !== null && !isRecorded) await services.files.discard([kept])
  return outcome
}

/** Whatever the rows are about may be a person, so erasing one drops the file. */
function holdingPersons({ row, ...change }: RowChange): RowChange {
  return { ...change, row: { ...row, holds_persons: true } }
}

function refuseBundle(): Refusal {
  const message = 'Imports from other CRM products are not set up through the API'
  return violates('/entityType', 'not_supported', message)
}

/** Why a file cannot be imported, by its content. It is read to the end, so large ones wait for each other. */
async function refusalOf(path: string, reader: Request['reader']): Promise<Refusal | null> {
  await reader.giveWay()
  const found = await refusingUnreadable('/file', () => findForm(path, {}))
  return found instanceof Refusal ? found : null
}
