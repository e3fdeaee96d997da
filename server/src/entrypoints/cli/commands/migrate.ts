import type { Command } from 'commander'
import { distribute, migrate } from '../../../kernel/sql/index.ts'
import type { Installation } from '../../../start/installation.ts'
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
      const use = async ({ database }: Installation) => ({
        applied: await migrate(database),
        distributed: options.citus ? await distribute(database) : null,
      })
      const { applied, distributed } = await commandLine.open(commandLine.config(), use, { create: true })
      const schema = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`
      if (distributed === null) return commandLine.print(options, { json: { applied }, text: schema })
      const tables =
        distributed.length === 0
          ? 'All tables are distributed.'
          : `Distributed ${distributed.join(', ')}. Restart every server.`
      commandLine.print(options, { json: { applied, distributed }, text: `${schema}\n${tables}` })
    })
}
