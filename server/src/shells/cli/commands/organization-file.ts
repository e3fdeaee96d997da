import type { Command } from 'commander'
import { createFiles } from '../../../create-files.ts'
import type { Installation } from '../../../installation.ts'
import { organization as organizationKind, organizationOf } from '../../../settings/index.ts'
import { exportOrganization, importOrganization, removeOrganization } from '../../../tenants/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface RemoveOptions extends OutputOptions {
  readonly confirm: string
}

/** Adds what is done with an organization as a whole. */
export function addOrganizationFileCommands(organization: Command, commandLine: CommandLine): void {
  organization
    .command('export')
    .description('write everything of an organization but its tokens into a file')
    .argument('<id>', 'which one, or the name that it alone has')
    .argument('<file>', 'the file, which is written anew')
    .option(...jsonOption)
    .action((text: string, file: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const id = await organizationOf(installation.database, organizationKind, text)
        const exported = await exportOrganization(withFiles(installation), id, file)
        const told = `Exported organization ${exported.id} "${exported.name}" to ${file}: ${exported.total} rows.`
        return { json: exported, text: told }
      }),
    )
  organization
    .command('import')
    .description('bring in an organization from such a file')
    .argument('<file>', 'the file')
    .option(...jsonOption)
    .action((file: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const imported = await importOrganization(withFiles(installation), file)
        const text = `Imported organization ${imported.id} "${imported.name}": ${imported.total} rows. ${withoutTokens}`
        return { json: imported, text: imported.hasSameSecret ? text : `${text}\n${otherSecret}` }
      }),
    )
  organization
    .command('remove')
    .description('erase an organization with everything that belongs to it')
    .argument('<id>', 'which one, or the name that it alone has')
    .requiredOption('--confirm <name>', 'its name')
    .option(...jsonOption)
    .action((text: string, { confirm, ...options }: RemoveOptions) =>
      commandLine.run(options, async installation => {
        const id = await organizationOf(installation.database, organizationKind, text)
        const removed = await removeOrganization(withFiles(installation), id, confirm)
        return { json: removed, text: `Removed organization ${removed.id} "${removed.name}": ${removed.total} rows.` }
      }),
    )
}

function withFiles({ database, secret, config }: Installation) {
  return { database, secret, files: createFiles(config, secret) }
}

const withoutTokens = 'Its applications have no tokens yet: see token create.'
const otherSecret =
  'The file comes from an installation with another secret: cursors from there are refused here, and keys of removed ' +
  'records can be used again.'
