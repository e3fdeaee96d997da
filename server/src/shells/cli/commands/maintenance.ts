import type { Command } from 'commander'
import { removeExpired } from '../../../retention/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

export function addMaintenanceCommands(program: Command, commandLine: CommandLine): void {
  const maintenance = program.command('maintenance').description('what an installation needs from time to time')
  maintenance
    .command('run')
    .description('remove what is older than its retention; once a day, at any time')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database, config }) => {
        const removed = await removeExpired(database, config.retention, Date.now())
        const { answers, changes, changeKeys, auditEntries, skipped } = removed
        const counts = `${answers} stored answers, ${changes} change events, ${changeKeys} keys and ${auditEntries} audit entries`
        const left = skipped.length === 0 ? '' : ` In use, and left to the next run: ${skipped.join(', ')}.`
        return { json: removed, text: `Removed ${counts}.${left}` }
      }),
    )
}
