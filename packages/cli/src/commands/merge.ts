import type { Command } from 'commander'
import type { WriteOptions } from 'crm-sdk'
import { UsageError } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { sheetOf } from '../output/table.ts'

interface MergeOptions {
  readonly resolve?: Readonly<Record<string, 'primary' | 'secondary'>>
  readonly keepPrimaryKey?: boolean
  readonly yes?: boolean
  readonly idempotencyKey?: string
}

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
    .option('-y, --yes', 'do it without a question')
    .option('--idempotency-key <key>', 'the key of a command that is repeated')
    .action(async (primaryId: string, secondaryId: string, options: MergeOptions, command: Command) => {
      const crm = await invocation.crmOf(command)
      const { resolve: fieldResolutions = {}, keepPrimaryKey, yes, idempotencyKey } = options
      const preview = await crm[kind].mergePreview({ primaryId, secondaryId })
      const undecided = preview.requiredResolutions.filter(field => !Object.hasOwn(fieldResolutions, field))
      if (!yes || undecided.length > 0) invocation.shell.say(`${sheetOf(preview)}\n\n`)
      if (undecided.length > 0)
        throw new UsageError(`decide by --resolve field=primary or field=secondary: ${undecided.join(', ')}`)
      if (!yes) await invocation.confirm(`merge ${secondaryId} into ${primaryId}?`)
      const body = {
        primaryId,
        secondaryId,
        expectedPrimaryVersion: preview.primary.version,
        expectedSecondaryVersion: preview.secondary.version,
        fieldResolutions,
        ...(keepPrimaryKey && { externalIdConflictResolution: 'keep_primary' as const }),
      }
      const writing: WriteOptions = idempotencyKey === undefined ? {} : { idempotencyKey }
      await invocation.outputOf(command).record(await crm[kind].mergeCommit(body, writing))
    })
}

function resolved(text: string, before: MergeOptions['resolve'] = {}): MergeOptions['resolve'] {
  const [, field = '', side] = /^(.+)=(primary|secondary)$/u.exec(text) ?? []
  if (side !== 'primary' && side !== 'secondary')
    throw new UsageError('--resolve takes field=primary or field=secondary, such as jobTitle=primary')
  return { ...before, [field]: side }
}
