import type { Command } from 'commander'
import { fileTarget, importOrganization, openArchive, writeArchive } from '../../../archive/index.ts'
import { organization as organizationKind, organizationOf } from '../../../settings/index.ts'
import { createFiles } from '../../../start/create-files.ts'
import type { Installation } from '../../../start/installation.ts'
import { removeOrganization } from '../../../tenants/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface RemoveOptions extends OutputOptions {
  readonly confirm: string
}

/** Adds the commands that act on a whole organization. */
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
        const content = { organizationId: id, withFiles: true, secretText: null }
        const written = await writeArchive(withFiles(installation), await fileTarget(file, { replace: true }), content)
        const rows = Object.fromEntries(written.tables.map(table => [table.name, table.rows]))
        const total = written.tables.reduce((sum, table) => sum + table.rows, 0)
        const json = { ...written.organization, file, rows, total }
        return { json, text: `Exported organization ${id} "${written.organization?.name}" to ${file}: ${total} rows.` }
      }),
    )
  organization
    .command('import')
    .description('bring in an organization from such a file')
    .argument('<file>', 'the file')
    .option(...jsonOption)
    .action((file: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const archive = await openArchive(file, installation.config.s3)
        try {
          const imported = await importOrganization(withFiles(installation), archive)
          const text = `Imported organization ${imported.id} "${imported.name}": ${imported.total} rows. ${withoutTokens}`
          return { json: imported, text: imported.hasSameSecret ? text : `${text}\n${otherSecret}` }
        } finally {
          archive.content.close()
        }
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
