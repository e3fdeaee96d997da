import { explainingFolder } from '@crm-server/embedded-postgres'
import type { Command } from 'commander'
import { comesBesideOthers, demoLink, demoToken, ensureDemo, resetDemo } from '../../../demo/index.ts'
import { cabinetAddress } from '../../../start/cabinet-address.ts'
import type { Installation } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'

interface ResetOptions extends OutputOptions {
  readonly yes?: boolean
}

export function addDemoCommands(program: Command, commandLine: CommandLine): void {
  const demo = program.command('demo').description('the demo organization')
  demo
    .command('reset')
    .description('set the demo organization back to its sample data, or create it')
    .option('--yes', 'create it beside other organizations without asking')
    .option(...jsonOption)
    .action((options: ResetOptions) => {
      const reset = async (installation: Installation) => {
        if (!options.yes && (await comesBesideOthers(installation.database))) await confirmDemo(commandLine)
        const written = await resetDemo(partsOf(installation))
        const { companies, contacts, deals, tasks, organizationId } = written
        const records = `${companies} companies, ${contacts} contacts, ${deals} deals and ${tasks} tasks`
        const text = `The demo organization ${organizationId} has ${records}.`
        return { json: written, text }
      }
      return commandLine.run(options, reset, { create: true })
    })
  demo
    .command('token')
    .description('print the API token of the demo organization')
    .option(...jsonOption)
    .action(async (options: OutputOptions) => {
      const { dataDirectory, databaseUrl } = commandLine.config()
      const known = await explainingFolder(dataDirectory, () => demoToken(dataDirectory))
      if (known !== null) return commandLine.print(options, printed(known))
      if (databaseUrl !== undefined) throw new Error('there is no demo token here: run "demo reset"')
      // The first start creates the demo organization; so does this command when it runs first.
      const make = async (installation: Installation) => printed(await ensureDemo(partsOf(installation)))
      return commandLine.run(options, make, { create: true })
    })
  demo
    .command('link')
    .description('print a link that signs in as the owner of the demo organization, once within 30 minutes')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const url = await demoLink(installation, cabinetAddress(installation.config))
        if (url === null) throw new Error('there is no demo organization here with an owner: run "demo reset"')
        return { json: { url }, text: url }
      }),
    )
}

/** Asks before it creates a demo organization beside organizations in use. */
async function confirmDemo({ entrypoints }: CommandLine): Promise<void> {
  const question = 'This installation has other organizations. Create the demo organization beside them?'
  if (await entrypoints.confirm(question)) return
  throw new Error('there are other organizations here: --yes creates the demo organization beside them')
}

function printed(token: string): Printed {
  return { json: { token }, text: token }
}

function partsOf({ database, secret, author, config: { dataDirectory } }: Installation) {
  return { database, secret, author, dataDirectory }
}
