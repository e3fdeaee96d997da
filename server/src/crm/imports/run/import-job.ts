import { operatorEmails, tagNames } from '../../../kernel/columns/index.ts'
import { UnreadableFile } from '../../../kernel/documents/index.ts'
import {
  defineRecordJob,
  findJobRecord,
  InterruptedJob,
  type JobContext,
  type JobSurroundings,
  limits,
  mutate,
  Overloaded,
  unattended,
  whyJobEnded,
} from '../../../kernel/index.ts'
import { whenAborted } from '../../../kernel/sandbox/index.ts'
import type { Statement } from '../../../kernel/sql/index.ts'
import { endImport } from '../cancel-import.ts'
import { countryNames } from '../cells/country-names.ts'
import { type ImportRow, importActor, importRecord, scopesOfStart } from '../import.ts'
import { chunkMutation } from './chunk.ts'
import { finishImport } from './finish-import.ts'
import { rowsOfFewOwners } from './rows-of-few-owners.ts'
import { RowsOnDisk } from './rows-on-disk.ts'

const rowsOnDisk = new RowsOnDisk()

/**
 * Applies the rows of an import in chunks. The outcomes are saved together with the changes, so a crash costs at most one chunk and no row
 * is applied twice (contract section 10.3).
 */
export const importJob = defineRecordJob(importRecord, {
  payload: 'importId',
  interruptions: 2,
  async run(id, context) {
    let row = await findUnfinished(id, context)
    try {
      while (row !== null && !context.signal.aborted) {
        row = await step(row, context)
        await context.pace.rest()
        if (performance.now() >= context.turnEnds) break
      }
    } catch (error) {
      // The readers are busy with other files.
      if (error instanceof Overloaded && error.bound === 'processReaders') return 'again'
      throw error
    }
    if (row !== null) return 'again'
    await rowsOnDisk.release(id)
    return 'done'
  },
  async giveUp(id, context, error) {
    const row = await findUnfinished(id, context)
    if (row === null) return
    const failure = error instanceof InterruptedJob ? processEnded(row) : givenUp
    await finishImport(row, { from: running, status: 'failed', failure }, context)
    await rowsOnDisk.release(row.id)
  },
  cancel: endImport,
})

const givenUp = {
  code: 'internal_error',
  message: 'The import was given up after several attempts; rows that were applied stay',
}

function processEnded({ position }: ImportRow) {
  const message =
    `The server ended twice while it worked on the rows behind line ${position}, so it is not tried again; rows that were ` +
    'applied stay. Upload the other rows in parts'
  return { code: 'process_ended', message }
}

const running = ['queued', 'running', 'canceling'] as const

/** The import, if there is work to do. */
async function findUnfinished(id: string, surroundings: JobSurroundings): Promise<ImportRow | null> {
  const row = await findJobRecord(importRecord, id, surroundings)
  return row !== null && running.some(status => status === row.status) ? row : null
}

/** Processes one chunk, or ends the import; null when it has ended. */
async function step(row: ImportRow, context: JobContext): Promise<ImportRow | null> {
  if (row.status === 'canceling') {
    await finishImport(row, { from: ['canceling'], status: 'canceled' }, context)
    return null
  }
  const rows = await nextRows(row, context)
  if (rows === null) return null
  if (rows.length === 0) {
    const status = row.errors.length === 0 ? 'completed' : 'completed_with_errors'
    await finishImport(row, { from: ['queued', 'running'], status }, context)
    return findUnfinished(row.id, context)
  }
  const failure = await whyJobEnded(
    { tokenId: row.token_id, startedBy: row.started_by, scopes: ['crm_import_manage', ...scopesOfStart(row)] },
    context,
  )
  if (failure !== null) {
    const message = `${failure.message}; rows that were applied stay`
    await finishImport(row, { from: running, status: 'failed', failure: { ...failure, message } }, context)
    return null
  }
  const { organizationId, services } = context
  const reader = unattended(organizationId)
  const connection = {
    query: (asked: Statement, values: readonly unknown[]) => services.database.query(asked, values, reader),
  }
  const chunk = {
    row,
    rows,
    organizationId,
    kinds: services,
    tags: await namesIf('tags', row, () => tagNames(connection, organizationId)),
    operators: await namesIf('ownerEmail', row, () => operatorEmails(connection, organizationId)),
    countries: await namesIf('address.country', row, countryNames),
  }
  const after = await mutate(chunkMutation(chunk), importActor(organizationId, row), services)
  return after ?? findUnfinished(row.id, context)
}

/** Data that a chunk needs only if its rows have such a field. */
async function namesIf<Name>(
  key: string,
  { columns, defaults }: ImportRow,
  find: () => Promise<ReadonlyMap<string, Name>>,
): Promise<ReadonlyMap<string, Name>> {
  return columns?.[key] === undefined && defaults?.[key] === undefined ? new Map() : find()
}

/** The next rows of the file. If the file cannot be read, the import fails and the result is null. */
async function nextRows(row: ImportRow, context: JobContext) {
  const { organizationId, services, pace, signal } = context
  const surroundings = { organizationId, services, whenGone: whenAborted(signal) }
  try {
    const rows = await rowsOnDisk.next(row, pace.partOf(limits.batchItems), surroundings)
    if (rows !== null) return rowsOfFewOwners(rows, row)
    const failure = { code: 'file_dropped', message: 'The file is kept no more; rows that were applied stay' }
    await finishImport(row, { from: running, status: 'failed', failure }, context)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    const failure = { code: error.reason, message: error.message }
    await finishImport(row, { from: running, status: 'failed', failure }, context)
  }
  return null
}
