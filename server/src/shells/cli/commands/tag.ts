import type { Command } from 'commander'
import { taggedKinds } from '../../../modules.ts'
import {
  AdministrationError,
  createTag,
  tag as kind,
  organizationOf,
  setTag,
  type TagKey,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { listOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface Options extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly kinds?: string
  readonly color?: string
  readonly application?: string
  readonly externalId?: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly color?: string | false
}

export function addTagCommands(program: Command, commandLine: CommandLine): void {
  const tag = program.command('tag').description('tags, which records can carry')
  addCommonCommands(tag, kind, commandLine)
  tag
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
  tag
    .command('set')
    .description('change a tag')
    .argument('<id>', 'which one')
    .option('--name <name>', 'unique in the organization')
    .option('--color <color>', '#RRGGBB')
    .option('--no-color', 'without a color')
    .option(...jsonOption)
    .action((tagId: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, tagId)
        const { name, color: given } = options
        const color = given === false ? null : given
        const changed = await setTag(installation, { organizationId, tagId, name, color })
        return { json: changed, text: `Changed tag ${changed.id}.` }
      }),
    )
}

function keyOf({ application: applicationId, externalId }: Options): TagKey | undefined {
  if (applicationId === undefined && externalId === undefined) return undefined
  if (applicationId !== undefined && externalId !== undefined) return { applicationId, externalId }
  throw new AdministrationError('--application and --external-id go together')
}
