import type { Command } from 'commander'
import type { Services } from '../../../kernel/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { wordsOf } from '../table.ts'

export function addMaintenanceCommands(program: Command, commandLine: CommandLine): void {
  const maintenance = program.command('maintenance').description('what an installation needs from time to time')
  maintenance
    .command('run')
    .description('remove what has grown old, as the worker does every hour')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const { removed, skipped } = await removeOld(await commandLine.services(installation))
        const counts = Object.entries(removed).map(([member, count]) => `${count} ${wordsOf(member)}`)
        const left = skipped.length === 0 ? '' : ` In use, and left to the next run: ${skipped.join(', ')}.`
        return { json: { ...removed, skipped }, text: `Removed ${counts.join(', ')}.${left}` }
      }),
    )
}

/** Runs the upkeep of the product completely; throws the first failure afterwards. */
async function removeOld(services: Services) {
  const { runUpkeep } = await import('../../../kernel/jobs/index.ts')
  const { upkeep } = await import('../../../modules.ts')
  const failures: unknown[] = []
  const done = await runUpkeep(upkeep, services, new AbortController().signal, error => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return done
}
