import type { Command } from 'commander'
import { migrate } from '../../../kernel/sql/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface Options extends OutputOptions {
  readonly citus?: boolean
}

export function addMigrateCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--citus', 'distribute the tables over a Citus cluster')
    .option(...jsonOption)
    .action(async (options: Options) => {
      if (options.citus) throw new Error('distribution over a Citus cluster is not available in this version')
      const applied = await commandLine.open(commandLine.config(), ({ database }) => migrate(database))
      const text = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`
      commandLine.print(options, { json: { applied }, text })
    })
}
