import type { Command } from 'commander'
import { type OrganizationUsage, usageOf } from '../../../requests/index.ts'
import { listOrganizations, showOrganization } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { columnsOf, tableOf } from '../table.ts'
import { timeSince } from '../words.ts'

interface UsageOptions extends OutputOptions {
  readonly organization?: string
  readonly since: string
}

type NamedUsage = OrganizationUsage & { readonly id: string; readonly name: string }

const sources = `
Records, files and their bytes are counted in the database as they are now. Jobs are the bulk jobs, exports and imports that were
created since the time, as far as they are still kept. Requests are those with a token of the application, refusals those of them that
were answered with an error. Servers count them by the day in UTC, from the first start of a version with this command on, and add what
they have counted every five seconds; what a killed server had not added yet is lost. A day is kept for 90 days.`

export function addUsageCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('usage')
    .description('show records, files, bytes and jobs by organization, and requests and refusals by application')
    .option('--organization <id>', 'of one organization; all unless told')
    .option('--since <time>', 'jobs and requests from this time on: 2026-03-31, or 7d for a week ago', '30d')
    .option(...jsonOption)
    .addHelpText('after', sources)
    .action((options: UsageOptions) =>
      commandLine.run(options, async ({ database }) => {
        const since = timeSince(options.since, Date.now())
        const { organization } = options
        const named = organization === undefined ? null : [await showOrganization(database, organization)]
        // Only this command counts all kinds of records.
        const { resources } = await import('../../../modules.ts')
        const organizations: NamedUsage[] = []
        for (const { id, name } of named ?? (await listOrganizations(database))) {
          const usage = await usageOf(database, String(id), since, resources)
          organizations.push({ id: String(id), name: String(name), ...usage })
        }
        const json = { since: new Date(since).toISOString(), organizations }
        return { json, text: organizations.length === 0 ? 'There are no organizations.' : textOf(organizations) }
      }),
    )
}

function textOf(organizations: readonly NamedUsage[]): string {
  const owners = organizations.map(({ id, name, records, files, bytes, jobs }) => {
    return { id, organization: name, records: totalOf(records), files, bytes, jobs: totalOf(jobs) }
  })
  const applications = organizations.flatMap(owner =>
    owner.applications.map(({ id, name, requests, refusals }) => {
      return { id, organization: owner.name, application: name, requests, refusals }
    }),
  )
  const tables = [owners, ...(applications.length === 0 ? [] : [applications])]
  return tables.map(rows => tableOf(rows, columnsOf(rows))).join('\n\n')
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
