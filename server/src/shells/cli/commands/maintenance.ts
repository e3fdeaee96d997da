import type { Command } from 'commander'
import { createFiles } from '../../../create-files.ts'
import { sweepFiles } from '../../../kernel/files/index.ts'
import { removeExpired } from '../../../retention/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

export function addMaintenanceCommands(program: Command, commandLine: CommandLine): void {
  const maintenance = program.command('maintenance').description('what an installation needs from time to time')
  maintenance
    .command('run')
    .description('remove what is older than its retention; once a day, at any time')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database, config, secret }) => {
        const removed = await removeExpired(database, config.retention, Date.now())
        const { filesWithoutRow } = await sweepFiles(
          { database, files: createFiles(config, secret) },
          new AbortController().signal,
        )
        const { answers, changes, changeKeys, auditEntries, skipped } = removed
        const counts = `${answers} stored answers, ${changes} change events, ${changeKeys} keys, ${auditEntries} audit entries and ${filesWithoutRow} files without a row`
        const left = skipped.length === 0 ? '' : ` In use, and left to the next run: ${skipped.join(', ')}.`
        return { json: { ...removed, filesWithoutRow }, text: `Removed ${counts}.${left}` }
      }),
    )
}
