import type { Command } from 'commander'
import { grantableScopes } from '../../../modules.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { tableOf } from '../table.ts'

export function addScopesCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('scopes')
    .description('list the scopes that a token can have, and what each allows')
    .option(...jsonOption)
    .action((options: OutputOptions) => {
      const scopes = grantableScopes.map(each => ({ ...each }))
      commandLine.print(options, { json: { scopes }, text: tableOf(scopes, ['scope', 'allows']) })
    })
}
