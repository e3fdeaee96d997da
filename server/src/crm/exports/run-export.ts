import { setTimeout as sleep } from 'node:timers/promises'
import { FileStoreFailure } from '../../kernel/files/index.ts'
import {
  bounds,
  defineRecordJob,
  type JobContext,
  type JobFailure,
  unattended,
  whyJobEnded,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { type Export, exportRecord, scopesOfFile, toExport } from './export.ts'
import { saveProgress, startExport } from './exports.sql.ts'
import { scopesOfFilters } from './filters.ts'
import { completeExport, type ExportFailure, failExport } from './finish-export.ts'
import { FileTooLarge } from './text-flow.ts'
import { rowsOfTypes } from './types.ts'
import { type ExportFile, writeFile } from './write-file.ts'

/**
 * Writes the file of an export. The file is one snapshot, so an interrupted attempt cannot be continued: after a crash, a stop or a lost
 * connection the export starts from the beginning, and the sweep removes the partial file (contract section 10.2).
 */
export const exportJob = defineRecordJob(exportRecord, {
  payload: 'exportId',
  async run(id, context) {
    if (writing >= bounds.processExports.most) {
      await sleep(pauseMilliseconds, undefined, { signal: context.signal }).catch(() => {})
      return 'again'
    }
    writing += 1
    try {
      return await runOnce(id, context)
    } finally {
      writing -= 1
    }
  },
  giveUp(id, context) {
    const message = 'The file could not be written and was given up after several attempts: ask for it again'
    return failExport(id, { code: 'internal_error', message }, context)
  },
  cancel: (id, context) =>
    failExport(id, { code: 'canceled', message: 'An operator has canceled the export' }, context),
})

/** How many files this process is writing. */
let writing = 0

/** How long an export waits for a free slot before it is queued again. */
const pauseMilliseconds = 250

/** How often the progress is saved. */
const progressMilliseconds = 1000

/** The process is stopping. */
class Stopped extends Error {}

/** Another attempt has taken over the export, or it is finished. */
class Superseded extends Error {}

/** The token that requested the export may no longer have the file. */
class TokenEnded extends Error {
  readonly failure: JobFailure

  constructor(failure: JobFailure) {
    super(failure.message)
    this.failure = failure
  }
}

async function runOnce(exportId: string, context: JobContext): Promise<'done' | 'again'> {
  const { organizationId, services } = context
  const runId = newId()
  const startedAt = new Date(services.clock.now()).toISOString()
  const values = [organizationId, exportId, runId, startedAt]
  const [row] = await services.database.query(startExport, values, unattended(organizationId))
  if (row === undefined) return 'done'
  const asked = toExport(row)
  try {
    const written = await writeRun(asked, runId, context)
    const outcome = await completeExport({ asked, runId, written }, context)
    if (outcome !== 'completed') await services.files.discard([written.file])
    return outcome === 'outdated' ? 'again' : 'done'
  } catch (error) {
    if (error instanceof Stopped) return 'again'
    if (error instanceof Superseded) return 'done'
    const failure = failureFor(error)
    if (failure === null) throw error
    await failExport(exportId, failure, context)
    return 'done'
  }
}

/** The failure that ends the export; null if the export is retried. */
function failureFor(error: unknown): ExportFailure | null {
  if (error instanceof TokenEnded) return error.failure
  if (!(error instanceof FileTooLarge)) return null
  return { code: 'too_large', message: `The export was given up: ${error.message}` }
}

async function writeRun(asked: Export, runId: string, context: JobContext): Promise<ExportFile> {
  const { organizationId, services, signal, pace } = context
  const { type, tokenId, startedBy, redacted, filters } = asked
  const rows = rowsOfTypes(services)[type]
  const scopes = [...scopesOfFile(rows, redacted), ...scopesOfFilters(filters, rows.owner)]
  const assertToken = async () => {
    const failure = await whyJobEnded({ tokenId, startedBy, scopes }, context)
    if (failure !== null) throw new TokenEnded(failure)
  }
  let savedAt = performance.now()
  const onPart = async (written: number, total: number) => {
    if (signal.aborted) throw new Stopped('the process is to stop')
    await assertToken()
    await services.diskReserve.look()
    if (services.diskReserve.isReached(0))
      throw new FileStoreFailure('only the disk space that is reserved for records is left')
    if (performance.now() - savedAt < progressMilliseconds) return
    savedAt = performance.now()
    const values = [organizationId, asked.id, runId, written, total]
    const saved = await services.database.query(saveProgress, values, unattended(organizationId))
    if (saved.length === 0) throw new Superseded('another attempt writes the file')
  }
  await assertToken()
  return writeFile({ asked, rows, organizationId, services, pace, onPart })
}
