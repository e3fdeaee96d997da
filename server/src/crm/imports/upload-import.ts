import { type KeptFile, recordFile } from '../../kernel/files/index.ts'
import {
  bounds,
  limits,
  type Mutation,
  type Operation,
  type Request,
  refusalOfErasure,
  type Services,
  type Success,
  storeAndMutate,
} from '../../kernel/index.ts'
import { sandboxes } from '../../kernel/sandbox/index.ts'
import { isObject, newId, Refusal, refuse, violates } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { actionRow, fileRoom, fileUse, needFileUse, type RowChange } from '../../kernel/write/index.ts'
import { entityTypes, refusedEntityType } from './fields/entity-types.ts'
import { type ImportRow, noCounters, toAnswer } from './import.ts'
import { importOperation } from './import-operation.ts'
import { importTable, unfinishedImports } from './imports.sql.ts'
import { checkSource } from './reading/read-source.ts'
import { refusingUnreadable } from './survey-import.ts'

const mebibyte = 1024 * 1024

/** `POST /imports`: accepts a file. Records do not change before the import is started (contract section 10.3). */
export const uploadImport: Operation = importOperation({
  id: 'imports.upload',
  method: 'POST',
  path: '/api/v1/crm/imports',
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
  refuses: [
    refusalOfErasure,
    [
      'unprocessable',
      'This server does not read the `entityType`, too many imports are not finished, or the quota of files is used up.',
    ],
  ],
  execute: upload,
})

async function upload(request: Request, services: Services): Promise<Success | Refusal> {
  const {
    actor,
    body,
    files: [file],
  } = request
  if (file === undefined) throw new Error('an upload has no file')
  if (file.tooLarge) return refuse('payload_too_large', { limitBytes: limits.importFileBytes })
  const { entityType: given } = isObject(body) ? body : {}
  const entityType = entityTypes.find(type => type === given) ?? null
  const { path, size, sha256, fileName: name, mediaType } = file
  const refusal = entityType === null ? refuseBundle() : await refusalOf(path, request, services)
  const { organizationId, applicationId, author } = actor
  const about = { organizationId, purpose: 'import', name, mediaType } as const
  const id = newId()
  const uploading = (kept: KeptFile | null): Mutation<ImportRow> => ({
    needs(needs) {
      needs.toAdd({ kind: 'import' })
      needFileUse(needs, fileUse(size))
      needs.toLoad(unfinishedImports)
    },
    decide(work, write) {
      if (kept === null || entityType === null) return refusal ?? refuseBundle()
      const tooMany = refuseOneMore(work.read(unfinishedImports), services)
      if (tooMany !== null) return tooMany
      const room = fileRoom('/file', size, organizationId, work.read(fileUse(size)))
      if (room instanceof Refusal) return room
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
        options: null,
        manages_custom_fields: false,
        row_count: null,
        position: 0,
        counters: noCounters,
        created_companies: 0,
        errors: [],
        errors_file_id: null,
        rows_file_id: null,
        failure: null,
        application_id: applicationId,
        token_id: null,
        started_by: null,
        author_type: author.type === 'user' ? ('user' as const) : ('application' as const),
        author_uuid: author.uuid,
        created_at: write.now,
        started_at: null,
        finished_at: null,
      }
      return {
        result: { ...row, persons_erased: false, undo: null },
        rows: [
          holdingPersons(recordFile(kept, write.now)),
          ...room.rows,
          { table: importTable, operation: 'insert', row },
          actionRow({ resourceType: 'import', resourceId: id, action: 'import.created', version: null }, write),
        ],
        drops: room.dropped,
      }
    },
  })
  return storeAndMutate(
    {
      mayStore: async () => ({ result: refusal === null }),
      store: () => services.files.keep({ ...about, source: { path, size, sha256 } }),
      filesOf: kept => [kept],
      mutation: uploading,
      answer(row, { now }) {
        const times = { now: Date.parse(now), auditSeconds: services.retention.auditEntries }
        return { status: 201, data: toAnswer(row, times), tellsOf: [id] }
      },
    },
    actor,
    services,
  )
}

/** The rows may concern any person, so the erasure of any person drops the file. */
function holdingPersons({ row, ...change }: RowChange): RowChange {
  return { ...change, row: { ...row, holds_persons: true } }
}

function refuseBundle(): Refusal {
  const message = 'Imports from other CRM products are not set up through the API'
  return violates('/entityType', 'not_supported', message)
}

/** The most unstarted uploads that a refusal names. */
const namedUploads = 5

/**
 * Refuses an import when the limit of unfinished imports is reached: 422 with the oldest uploads that are not started, or 503 if all of
 * them are started and will end by themselves.
 */
function refuseOneMore(unfinished: readonly Row[], { admission }: Pick<Services, 'admission'>): Refusal | null {
  const limit = bounds.organizationImports.most
  if (unfinished.length < limit) return null
  const waiting = unfinished.filter(({ waits }) => waits === true).slice(0, namedUploads)
  const [first] = waiting
  if (first === undefined) return admission.refuse('organizationImports')
  const oldest = waiting.map(({ id, file_name: fileName, created_at: createdAt }) => ({ id, fileName, createdAt }))
  const message = `At most ${limit} imports can be unfinished, and uploads wait for their start: start or cancel one, such as ${String(first.id)}`
  return violates('/file', 'max_items', message, { limit, oldest })
}

/** Why the content of a file cannot be imported; null if it can. */
async function refusalOf(path: string, { actor, reader }: Request, { spool }: Services): Promise<Refusal | null> {
  const waiting = { organizationId: actor.organizationId, spool, whenGone: reader.whenGone }
  const found = await sandboxes.run('requests', waiting, read =>
    refusingUnreadable('/file', () => checkSource(path, read)),
  )
  return found instanceof Refusal ? found : null
}
