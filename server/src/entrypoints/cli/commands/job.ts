import { type Command, Option } from 'commander'
import { importUndoRecord, keptRecords, organizationOfImport, undoImport } from '../../../crm/imports/index.ts'
import { type Author, findJobRecord, Refusal, type Services } from '../../../kernel/index.ts'
import { dropJob, findJobs, type JobState, retryJob } from '../../../kernel/jobs/index.ts'
import { isUuid, type JsonObject } from '../../../kernel/schema/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { followJob } from '../jobs/follow-job.ts'
import { JobReader } from '../jobs/job-reader.ts'
import { sheetOf, tableOf } from '../table.ts'

const states = ['waiting', 'scheduled', 'running', 'failed'] as const satisfies readonly JobState[]
const members = ['id', 'job', 'organizationId', 'state', 'attempts', 'runAt', 'reason']
const idArgument = ['<id>', 'id of its record, or as job list tells it'] as const

interface ListOptions extends OutputOptions {
  readonly organization?: string
  readonly state?: JobState
}

interface ShowOptions extends OutputOptions {
  readonly follow?: boolean
}

export function addJobCommands(program: Command, commandLine: CommandLine): void {
  const job = program.command('job').description('work that is done in the background')
  job
    .command('list')
    .description('list the jobs in the queue, those that are due first')
    .option('--organization <id>', 'of this organization alone')
    .addOption(new Option('--state <state>', 'in this state alone').choices(states))
    .option(...jsonOption)
    .action((options: ListOptions) =>
      commandLine.run(options, async ({ database }) => {
        const { organization: organizationId, state } = options
        const found = await findJobs(database, { organizationId, state })
        const jobs = found.map(({ rowId: _, payload: __, ...shown }) => shown)
        return { json: { jobs }, text: jobs.length === 0 ? 'No jobs.' : tableOf(jobs, members) }
      }),
    )
  job
    .command('show')
    .description('show a job in the queue, and how far it has come')
    .argument(...idArgument)
    .option('--follow', 'show how it goes on until it has ended')
    .option(...jsonOption)
    .action((id: string, options: ShowOptions) =>
      commandLine.run(options, async installation => {
        const reader = new JobReader(await commandLine.services(installation))
        const found = await reader.find(id)
        const shown = options.follow ? await followJob(found, reader, commandLine.streams) : await reader.read(found)
        const { progress, ...values } = shown
        const { counters, ...told } = progress ?? { counters: {} }
        return { json: shown, text: sheetOf({ ...values, ...told, ...counters }) }
      }),
    )
  job
    .command('retry')
    .description('make a job due now that failed, or waits for its next attempt')
    .argument(...idArgument)
    .option(...jsonOption)
    .action((id: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const reader = new JobReader(await commandLine.services(installation))
        const isDue = await retryJob(installation.database, await reader.find(id))
        if (!isDue) throw new Error(`the job ${id} is running, or has just ended`)
        return { json: { id }, text: `The job ${id} is due now.` }
      }),
    )
  job
    .command('cancel')
    .description('cancel a job; what it has done stays')
    .argument(...idArgument)
    .option(...jsonOption)
    .action((id: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const outcome = await cancelJob(new JobReader(await commandLine.services(installation)), id)
        const text = outcome === 'ends' ? `The job ${id} ends with what it is at.` : `Canceled the job ${id}.`
        return { json: { id, outcome }, text }
      }),
    )
  job
    .command('undo')
    .description('undo an import: remove the records that it made, and restore those that it changed')
    .argument('<id>', 'id of the import')
    .option('--follow', 'show how it goes on until it has ended')
    .option(...jsonOption)
    .action((id: string, options: ShowOptions) =>
      commandLine.run(options, async installation => {
        const services = await commandLine.services(installation)
        const undo = await undoJob(id, installation.author, services)
        const reader = new JobReader(services)
        const queued = options.follow ? await reader.look(undo.undoId) : null
        if (queued !== null) await followJob(queued, reader, commandLine.streams)
        const shown = await readUndo(undo, services)
        const more = shown.finishedAt === null ? `\n\nIt goes on: see job show ${undo.undoId} --follow.` : ''
        return { json: shown, text: `${sheetOf(shown)}${more}` }
      }),
    )
}

/**
 * Cancels a job. A kind that can be canceled marks its record, and the job ends when it runs next: the result is `ends`. A job of another
 * kind is removed from the queue; if it is running, throws the reason.
 */
export async function cancelJob(reader: JobReader, id: string): Promise<'ends' | 'canceled'> {
  const found = await reader.find(id)
  const { services } = reader
  const cancel = reader.kindOf(found)?.cancel
  if (cancel !== undefined && found.organizationId !== null) {
    await cancel(found.payload, { organizationId: found.organizationId, services })
    await retryJob(services.database, found)
    return 'ends'
  }
  if (await dropJob(services.database, found)) return 'canceled'
  throw new Error(`the job is running, and a job of the kind ${found.job} ends by itself alone`)
}

/** The undo of an import, where it is. */
interface FoundUndo {
  readonly organizationId: string
  readonly importId: string
  readonly undoId: string
}

/** Begins to undo an import, or continues; one that is under way or complete stays as it is. Throws the reason if it cannot be undone. */
async function undoJob(importId: string, author: Author, services: Services): Promise<FoundUndo> {
  const organizationId = isUuid(importId) ? await organizationOfImport(services.database, importId) : null
  if (organizationId === null) throw new Error(`no such import: ${importId}`)
  const begun = await undoImport(importId.toLowerCase(), author, { organizationId, services })
  if (begun instanceof Refusal) throw new Error(begun.message)
  return { organizationId, importId: importId.toLowerCase(), ...begun }
}

/** How far an undo has come, and the first 1,000 records of which something stays. */
async function readUndo({ organizationId, undoId }: FoundUndo, services: Services): Promise<JsonObject> {
  const place = { organizationId, services }
  const undo = await findJobRecord(importUndoRecord, undoId, place)
  if (undo === null) throw new Error(`the undo ${undoId} is gone`)
  const { position: _, ...shown } = undo
  return { organizationId, ...shown, records: await keptRecords(undoId, place) }
}
