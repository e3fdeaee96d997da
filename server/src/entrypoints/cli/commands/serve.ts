import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../../../start/config.ts'
import type { Role } from '../../../start/serve.ts'
import type { CommandLine } from '../command-line.ts'
import { expectWritable } from '../doctor/machine.ts'
import { roles } from '../entrypoints.ts'

interface ServeFlags {
  readonly role: Role
  readonly processes: number
  readonly part?: boolean
}

/** More than any machine needs, and few enough for the connections of one database. */
const mostProcesses = 128

export function addServeCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('serve')
    .description('run the server until a signal')
    .addOption(new Option('--role <role>', 'what this process does').choices(roles).default('all'))
    .addOption(
      new Option(
        '--processes <n>',
        'processes that answer requests on the port; auto: as many as the machine has cores',
      )
        .argParser(processesOf)
        .default(1),
    )
    .addOption(new Option('--part', 'how a server starts its processes').hideHelp())
    .action(async ({ role, processes, part }: ServeFlags) => {
      const { entrypoints } = commandLine
      if (role === 'worker' && processes > 1)
        throw new Error('--processes is for a server that answers requests: start --role worker as often as needed')
      const config = commandLine.config()
      const isPart = part === true
      if (!isPart) await expectUsable(config, role)
      commandLine.status = await entrypoints.serve(config, { role, processes, isPart })
    })
}

/** Throws if a server would not work here, before it starts anything. */
async function expectUsable({ databaseUrl, dataDirectory }: Config, role: Role): Promise<void> {
  if (role !== 'all' && databaseUrl === undefined)
    throw new Error(`the embedded database has one server, which does all: set DATABASE_URL for --role ${role}`)
  await expectWritable(dataDirectory)
}

function processesOf(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), mostProcesses)
  const count = Number(text)
  if (/^\d+$/u.test(text) && count >= 1 && count <= mostProcesses) return count
  throw new InvalidArgumentError(`It is a number from 1 to ${mostProcesses}, or auto.`)
}
