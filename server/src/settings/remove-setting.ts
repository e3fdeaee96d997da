import {
  type Nested,
  needUses,
  type RecordState,
  type Refusal,
  type Resource,
  type SettingUse,
  usesIn,
} from '../kernel/index.ts'
import { violates } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { customField } from './custom-field-record.ts'
import { pipeline } from './pipeline-record.ts'
import { stage } from './stage-record.ts'
import { lackingStage } from './stages.ts'
import { tag } from './tag-record.ts'
import { token } from './token-record.ts'
import { wordFor } from './values.ts'

/** Which setting, of which organization. `id` is that of the record, also of a token. */
export interface SettingAddress {
  readonly organizationId: string
  readonly kind: Nested
  readonly id: string
}

/**
 * Removes a setting to which nothing refers; a pipeline together with its stages. `kinds` are all kinds of records and
 * settings that may refer to it. Throws an `AdministrationError` when there is none, and with the reason when it has to stay:
 * what refers to it, or what would be lacking without it.
 */
export async function removeSetting(
  administration: Administration,
  { organizationId, kind, id }: SettingAddress,
  kinds: readonly Resource[],
): Promise<void> {
  // Stages go together with their pipeline.
  const holders = kind === pipeline ? kinds.filter(holder => holder !== stage) : kinds
  await administer(administration, organizationId, {
    needs(needs, work) {
      needs.toLoadNested(kind, id)
      const loaded = work.record(kind.kind, id)
      if (loaded === null) return
      if (kind === pipeline) needs.toLoadNestedIn(stage, id)
      if (kind === stage) needs.toLoadNestedIn(stage, String(loaded.pipelineId))
      if (kind === tag) needs.toLoadAllKeysOf(id)
      needUses(needs, work, usedSetting(kind, loaded), holders)
    },
    decide(draft) {
      const before = draft.record(kind, id)
      if (before === null) return missing(wordFor(kind), id)
      const refusal =
        refuseUsed(kind, usesIn(draft, usedSetting(kind, before), holders)) ?? whyNeeded(draft, kind, before)
      if (refusal !== null) return refusal
      if (kind === pipeline) for (const part of draft.all(stage, id)) draft.remove(stage, part)
      draft.remove(kind, before)
      return kind === stage ? lackingStage(draft, String(before.pipelineId)) : null
    },
  })
}

/** Values of custom fields have their keys, and no ids. */
function usedSetting(kind: Nested, { id, key, kind: ofKind }: RecordState) {
  return kind === customField ? { kind, id, keyed: { key: String(key), ofKind: String(ofKind) } } : { kind, id }
}

/** What to do with a setting that is in use, where there is something. */
const instead = new Map([
  ['application', 'disable it instead'],
  ['operator', 'make it inactive instead'],
  ['stage', 'archive it instead'],
  ['lost_reason', 'make it inactive instead'],
])

function refuseUsed(kind: Nested, uses: readonly SettingUse[]): Refusal | null {
  if (uses.length === 0) return null
  const counts = uses.map(({ name, count }) => `${name} (${count})`).join(', ')
  const advice = instead.get(kind.kind)
  const message = `the ${wordFor(kind)} is in use by ${counts}${advice === undefined ? '' : `: ${advice}`}`
  return violates('', 'in_use', message)
}

/** Why a setting has to stay although nothing refers to it. */
function whyNeeded(draft: SettingsDraft, kind: Nested, before: RecordState): Refusal | null {
  if (kind === pipeline && before.isDefault === true) {
    return violates('', 'default_pipeline', 'new deals go to the default pipeline: make another one the default first')
  }
  if (kind !== token) return null
  const { revokedAt, expiresAt } = before
  const isOver = typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.parse(draft.write.now)
  return revokedAt !== null || isOver ? null : violates('', 'valid_token', 'the token is valid: revoke it first')
}
