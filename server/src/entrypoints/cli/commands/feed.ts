import type { Command } from 'commander'
import { raiseEpoch, raiseEpochOf, selectEpoch } from '../../../kernel/sql/index.ts'
import { AdministrationError, showOrganization } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface NewEpochOptions extends OutputOptions {
  readonly organization?: string
  readonly confirm: string
}

/** Adds the commands that decide whether positions in the change feeds stay valid on a database that was restored, promoted or moved. */
export function addFeedCommands(program: Command, commandLine: CommandLine): void {
  const feed = program.command('feed').description('the change feeds of all organizations')
  feed
    .command('new-epoch')
    .description('end all cursors of the change feeds, because the database was restored; or those of one organization')
    .option('--organization <id>', 'of this organization alone')
    .requiredOption('--confirm <name>', 'the name of the organization, or all: their consumers read everything anew')
    .option(...jsonOption)
    .action(({ organization, confirm, ...options }: NewEpochOptions) =>
      commandLine.run(options, async ({ database }) => {
        const said = 'cursors from before answer 410 cursor_expired.'
        if (organization === undefined) {
          refuseUnconfirmed(confirm, 'all')
          const [row] = await database.query(raiseEpoch, [])
          return toldEpoch('The epoch of the change feeds', row?.epoch, said)
        }
        const { id, name } = await showOrganization(database, organization)
        refuseUnconfirmed(confirm, String(name))
        const [row] = await database.query(raiseEpochOf, [id])
        return toldEpoch(`The epoch of the change feed of "${String(name)}"`, row?.epoch, said)
      }),
    )
  feed
    .command('keep-epoch')
    .description('keep the cursors of the change feeds on another database, because nothing was lost')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(
        options,
        async ({ database }) => {
          const [row] = await database.query(selectEpoch, [])
          return toldEpoch('The epoch of the change feeds', row?.epoch, 'its cursors are valid on this database.')
        },
        { whenOther: 'keep' },
      ),
    )
}

function refuseUnconfirmed(confirm: string, name: string): void {
  if (confirm !== name)
    throw new AdministrationError(
      `consumers would read everything anew: confirm that by --confirm ${JSON.stringify(name)}`,
    )
}

function toldEpoch(subject: string, value: unknown, said: string) {
  const epoch = Number(value)
  return { json: { epoch }, text: `${subject} is ${epoch}: ${said}` }
}
