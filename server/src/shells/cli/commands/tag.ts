import type { Command } from 'commander'
import { taggedKinds } from '../../../modules.ts'
import { AdministrationError, createTag, type TagKey } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { listOf } from '../words.ts'

interface Options extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly kinds?: string
  readonly color?: string
  readonly application?: string
  readonly externalId?: string
}

export function addTagCommands(program: Command, commandLine: CommandLine): void {
  program
    .command('tag')
    .description('create tags')
    .command('create')
    .description('create a tag')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'unique in the organization')
    .option('--kinds <kinds>', `what can carry it: ${taggedKinds.join(',')} (all)`)
    .option('--color <color>', '#RRGGBB')
    .option('--application <id>', 'the application that knows it by an external id')
    .option('--external-id <key>', "the application's own id of it")
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name, color } = options
        const kinds = listOf(options.kinds)
        const created = await createTag(
          installation,
          { organizationId, name, kinds, color, key: keyOf(options) },
          taggedKinds,
        )
        return { json: created, text: `Created tag ${created.id}.` }
      }),
    )
}

function keyOf({ application: applicationId, externalId }: Options): TagKey | undefined {
  if (applicationId === undefined && externalId === undefined) return undefined
  if (applicationId !== undefined && externalId !== undefined) return { applicationId, externalId }
  throw new AdministrationError('--application and --external-id go together')
}
