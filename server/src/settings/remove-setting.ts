import { needUses, type Refusal, type Resource, type SettingUse, usesIn } from '../kernel/index.ts'
import { violates } from '../kernel/schema/index.ts'
import { allKeysOf } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { idNamed } from './organization-of.ts'
import type { Named, RemovableSetting, SettingAddress } from './setting.ts'
import { wordFor } from './values.ts'

/**
 * Removes a setting that nothing refers to, together with its dependent settings. `kinds` are all kinds of records and settings that may
 * refer to it. It is addressed by its id, or a name that it alone has. Resolves to the id. Throws an `AdministrationError` if there is none, or if it cannot be removed; the message says what refers to it, or what
 * would be missing without it.
 */
export async function removeSetting(
  administration: Administration,
  { organizationId, kind, id: text }: SettingAddress & { readonly kind: RemovableSetting },
  kinds: readonly Resource[],
): Promise<Named> {
  const id = await idNamed(administration.database, kind, text, organizationId)
  const parts = kinds
    .filter(isRemovable)
    .filter(each => each.parent.resource === kind && each.removal.isRemovedWithOwner)
  const holders = kinds.filter(holder => !parts.some(part => part === holder))
  const { heldBy } = kind.removal
  await administer(administration, organizationId, {
    needs(needs, work) {
      needs.toLoadNested(kind, id)
      const loaded = work.record(kind.kind, id)
      if (loaded === null) return
      needs.toLoadNestedIn(kind, String(loaded[kind.parent.member]))
      for (const part of parts) needs.toLoadNestedIn(part, id)
      needs.toLoad(allKeysOf(id))
      if (heldBy !== undefined) needs.toLoad(heldBy.row(id))
      needUses(needs, work, { kind, id }, holders)
    },
    decide(draft) {
      const before = draft.record(kind, id)
      if (before === null) return missing(wordFor(kind), id)
      if (heldBy !== undefined && draft.read(heldBy.row(id)) !== null) return heldBy.refusal
      const used = refuseUsed(kind, usesIn(draft, { kind, id }, holders))
      if (used !== null) return used
      for (const part of parts) for (const each of draft.all(part, id)) draft.remove(part, each)
      draft.remove(kind, before)
      return kind.removal.whyNeeded?.(before, draft, kind) ?? null
    },
  })
  return { id }
}

function isRemovable(kind: Resource): kind is RemovableSetting {
  return 'removal' in kind
}

function refuseUsed(kind: RemovableSetting, uses: readonly SettingUse[]): Refusal | null {
  if (uses.length === 0) return null
  const counts = uses.map(({ name, count }) => `${name} (${count})`).join(', ')
  const { insteadOfRemoval } = kind.removal
  const advice = insteadOfRemoval === undefined ? '' : `: ${insteadOfRemoval}`
  return violates('', 'in_use', `the ${wordFor(kind)} is in use by ${counts}${advice}`)
}
