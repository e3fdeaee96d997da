import { type Command, Option } from 'commander'
import { findJobs, type JobState, retryJob } from '../../../kernel/jobs/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { cancelJob } from '../jobs/cancel-job.ts'
import { followJob } from '../jobs/follow-job.ts'
import { JobReader } from '../jobs/job-reader.ts'
import { readUndo, undoJob } from '../jobs/undo-job.ts'
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
