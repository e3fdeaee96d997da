import type { Command } from 'commander'
import { raiseEpoch, selectEpoch, type WhenOther } from '../../../kernel/sql/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

/** Adds what decides whether positions in the change feeds hold on a database that was restored, promoted or moved. */
export function addFeedCommands(program: Command, commandLine: CommandLine): void {
  const feed = program.command('feed').description('the change feeds of all organizations')
  const add = (name: string, description: string, { statement, said, whenOther }: EpochCommand) =>
    feed
      .command(name)
      .description(description)
      .option(...jsonOption)
      .action((options: OutputOptions) =>
        commandLine.run(
          options,
          async ({ database }) => {
            const [row] = await database.query(statement, [])
            const epoch = Number(row?.epoch)
            return { json: { epoch }, text: `The epoch of the change feeds is ${epoch}: ${said}` }
          },
          { whenOther },
        ),
      )
  add('new-epoch', 'end all cursors of the change feeds, because the database was restored', {
    statement: raiseEpoch,
    said: 'cursors from before answer 410 cursor_expired.',
    whenOther: 'raise',
  })
  add('keep-epoch', 'keep the cursors of the change feeds on another database, because nothing was lost', {
    statement: selectEpoch,
    said: 'its cursors are valid on this database.',
    whenOther: 'keep',
  })
}

interface EpochCommand {
  readonly statement: typeof selectEpoch
  readonly said: string
  readonly whenOther: WhenOther
}
