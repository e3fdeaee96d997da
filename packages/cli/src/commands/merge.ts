import type { Command } from 'commander'
import type { WriteOptions } from 'crm-sdk'
import { repeatable, UsageError } from '../failure.ts'
import { answerNames } from '../generated/answer-names.ts'
import type { Invocation } from '../invocation.ts'
import type { JsonObject } from '../json.ts'
import { sheetOf } from '../output/table.ts'
import { integerIn } from '../resources/given.ts'

interface MergeOptions {
  readonly resolve?: Readonly<Record<string, 'primary' | 'secondary'>>
  readonly keepPrimaryKey?: boolean
  readonly expectedPrimaryVersion?: number
  readonly expectedSecondaryVersion?: number
  readonly yes?: boolean
  readonly idempotencyKey?: string
}

const version = 'the version of the record that'
const unlessGiven = 'Unless given, that of the preview.'

/** Adds `merge` to the commands of contacts or companies: shows the preview, asks, and merges the versions of the preview. */
export function addMergeCommand(kind: 'contacts' | 'companies', group: Command, invocation: Invocation): void {
  group
    .command('merge')
    .summary('merge two records into one')
    .description('Merges the second record into the first one, after a preview. The second is gone afterwards.')
    .argument('<primaryId>', 'the record that stays')
    .argument('<secondaryId>', 'the record that goes into it')
    .option('--resolve <field=side>', 'whose value of a field stays: primary or secondary; repeated', resolved)
    .option('--keep-primary-key', 'where both have a key of yours, that of the second one ends')
    .option(
      '--expected-primary-version <n>',
      `${version} stays. ${unlessGiven}`,
      integerIn('--expected-primary-version'),
    )
    .option(
      '--expected-secondary-version <n>',
      `${version} goes into it. ${unlessGiven}`,
      integerIn('--expected-secondary-version'),
    )
    .option('-y, --yes', 'do it without a question')
    .option('--idempotency-key <key>', 'the key of a command that is repeated')
    .action(async (primaryId: string, secondaryId: string, options: MergeOptions, command: Command) => {
      const output = invocation.outputOf(command, answerNames[kind === 'contacts' ? 'ContactMerge' : 'CompanyMerge'])
      const crm = await invocation.crmOf(command)
      const { resolve: fieldResolutions = {}, keepPrimaryKey, yes, idempotencyKey } = options
      const { expectedPrimaryVersion: first, expectedSecondaryVersion: second } = options
      // A command that is repeated with its key may have been executed: then the second record is gone.
      const versions =
        idempotencyKey !== undefined && first !== undefined && second !== undefined
          ? { expectedPrimaryVersion: first, expectedSecondaryVersion: second }
          : versionsAfter(await crm[kind].mergePreview({ primaryId, secondaryId }), options, invocation)
      if (!yes) await invocation.confirm(`merge ${secondaryId} into ${primaryId}?`)
      const body = {
        primaryId,
        secondaryId,
        ...versions,
        fieldResolutions,
        ...(keepPrimaryKey && { externalIdConflictResolution: 'keep_primary' as const }),
      }
      const writing: WriteOptions = idempotencyKey === undefined ? {} : { idempotencyKey }
      const merged = await repeatable(crm[kind].mergeCommit(body, writing), [
        `--expected-primary-version ${versions.expectedPrimaryVersion}`,
        `--expected-secondary-version ${versions.expectedSecondaryVersion}`,
      ])
      await output.record(merged)
    })
}

interface MergeVersions {
  readonly expectedPrimaryVersion: number
  readonly expectedSecondaryVersion: number
}

interface MergePreview extends JsonObject {
  readonly primary: { readonly version: number }
  readonly secondary: { readonly version: number }
  readonly requiredResolutions: readonly string[]
}

/** The versions that are given, or else those of the preview. Shows it, and throws UsageError if a conflict is not decided. */
function versionsAfter(preview: MergePreview, options: MergeOptions, invocation: Invocation): MergeVersions {
  const { resolve = {}, yes, expectedPrimaryVersion, expectedSecondaryVersion } = options
  const undecided = preview.requiredResolutions.filter(field => !Object.hasOwn(resolve, field))
  if (!yes || undecided.length > 0) invocation.shell.say(`${sheetOf(preview)}\n\n`)
  if (undecided.length > 0)
    throw new UsageError(`decide by --resolve field=primary or field=secondary: ${undecided.join(', ')}`)
  return {
    expectedPrimaryVersion: expectedPrimaryVersion ?? preview.primary.version,
    expectedSecondaryVersion: expectedSecondaryVersion ?? preview.secondary.version,
  }
}

function resolved(text: string, before: MergeOptions['resolve'] = {}): MergeOptions['resolve'] {
  const [, field = '', side] = /^(.+)=(primary|secondary)$/u.exec(text) ?? []
  if (side !== 'primary' && side !== 'secondary')
    throw new UsageError('--resolve takes field=primary or field=secondary, such as jobTitle=primary')
  return { ...before, [field]: side }
}
