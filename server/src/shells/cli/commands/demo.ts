import type { Command } from 'commander'
import { demoToken, ensureDemo, resetDemo } from '../../../demo/index.ts'
import { demoAdministration } from '../../../demo-administration.ts'
import type { Installation } from '../../../installation.ts'
import { type CommandLine, jsonOption, type OutputOptions, type Printed } from '../command-line.ts'

export function addDemoCommands(program: Command, commandLine: CommandLine): void {
  const partsOf = (installation: Installation) => ({
    database: installation.database,
    dataDirectory: installation.config.dataDirectory,
    administration: demoAdministration(installation),
    writerFor: commandLine.shells.sampleWriter.bind(null, installation),
  })
  const demo = program.command('demo').description('the demo organization')
  demo
    .command('reset')
    .description('set the demo organization back to its sample data, or create it')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const reset = await resetDemo(partsOf(installation))
        const { companies, contacts, deals, tasks, organizationId } = reset
        const records = `${companies} companies, ${contacts} contacts, ${deals} deals and ${tasks} tasks`
        const text = `The demo organization ${organizationId} has ${records}.`
        return { json: reset, text }
      }),
    )
  demo
    .command('token')
    .description('print the API token of the demo organization')
    .option(...jsonOption)
    .action(async (options: OutputOptions) => {
      const { dataDirectory, databaseUrl } = commandLine.config()
      const known = await demoToken(dataDirectory)
      if (known !== null) return commandLine.print(options, printed(known))
      if (databaseUrl !== undefined) throw new Error('there is no demo token here: run "demo reset"')
      // The first start makes the demo organization; so does this command when it comes first.
      return commandLine.run(options, async installation => printed(await ensureDemo(partsOf(installation))))
    })
}

function printed(token: string): Printed {
  return { json: { token }, text: token }
}
