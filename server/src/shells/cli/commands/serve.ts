import { type Command, Option } from 'commander'
import type { Role } from '../../../serve.ts'
import type { CommandLine } from '../command-line.ts'
import { roles } from '../shells.ts'

export function addServeCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('serve')
    .description('run the server until a signal')
    .addOption(new Option('--role <role>', 'what this process does').choices(roles).default('all'))
    .action(async ({ role }: { role: Role }) => {
      commandLine.status = await commandLine.shells.serve(commandLine.config(), { role })
    })
}
