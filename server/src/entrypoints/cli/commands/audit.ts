import type { Command } from 'commander'
import type { JsonObject } from '../../../kernel/schema/index.ts'
import { type EntryOfOrganization, listAuditEntries } from '../../../requests/index.ts'
import { AdministrationError, showOrganization } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { timeSince } from '../words.ts'

interface AuditOptions extends OutputOptions {
  readonly organization: string
  readonly resource?: string
  readonly since?: string
  readonly limit?: string
}

/** How many entries are listed without `--limit`. */
const usualEntries = 100
const mostEntries = 10_000

export function addAuditCommands(program: Command, commandLine: CommandLine): void {
  const audit = program.command('audit').description('who changed what')
  audit
    .command('list')
    .description('list audit entries, the newest first, those of settings and tokens too')
    .requiredOption('--organization <id>', 'of which organization')
    .option('--resource <type>', 'of one type of resource, such as token, application or contact')
    .option('--since <time>', 'from this time on: 2026-03-31, a time with its offset, or 7d for a week ago')
    .option('--limit <number>', `most entries (${usualEntries})`)
    .option(...jsonOption)
    .action((options: AuditOptions) =>
      commandLine.run(options, async ({ database }) => {
        const { id } = await showOrganization(database, options.organization)
        const since = options.since === undefined ? undefined : timeSince(options.since, Date.now())
        const search = {
          organizationId: String(id),
          resourceType: options.resource,
          since,
          most: limitOf(options.limit),
        }
        const entries = await listAuditEntries(database, search)
        const text = entries.length === 0 ? 'There are no such entries.' : entries.map(lineOf).join('\n')
        return { json: { entries }, text }
      }),
    )
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? usualEntries : Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > mostEntries)
    throw new AdministrationError(`--limit takes a whole number from 1 to ${mostEntries}`)
  return limit
}

/** Time, action, target, actor, and the changes. */
function lineOf(entry: EntryOfOrganization): string {
  const { occurredAt, action, resourceId, changes, overwrite } = entry
  const changed = changes.map(changeOf).join('; ')
  return `${occurredAt}  ${action} ${resourceId}  by ${authorOf(entry)}${overwrite ? ', overwriting' : ''}${changed === '' ? '' : `  ${changed}`}`
}

function authorOf({ actorType, commandUser, tokenId, applicationId, jobId }: EntryOfOrganization): string {
  if (commandUser !== null) return `a command of ${commandUser}`
  if (tokenId !== null) return `${actorType} with token ${tokenId}`
  if (jobId !== null) return `${actorType} in job ${jobId}`
  return applicationId === null ? actorType : `${actorType} ${applicationId}`
}

function changeOf({ field, before, after }: JsonObject): string {
  return `${String(field)}: ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`
}
