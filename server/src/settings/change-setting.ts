import type { Nested, RecordState, Refusal } from '../kernel/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { idNamed } from './organization-of.ts'
import { wordFor } from './values.ts'

/** Which setting, of which organization. */
interface Address {
  readonly organizationId: string
  readonly kind: Nested
  readonly id: string
}

/**
 * Changes one setting, which is loaded together with the others of its kind in the same place: rules compare it with them.
 * Throws an `AdministrationError` when there is none, and for what the decision refuses.
 */
export async function changeSetting<Result>(
  administration: Administration,
  { organizationId, kind, id: given }: Address,
  decide: (draft: SettingsDraft, before: RecordState) => Result | Refusal,
): Promise<Result> {
  const id = await idNamed(administration.database, kind, given, organizationId)
  return administer(administration, organizationId, {
    needs(needs, work) {
      needs.toLoadNested(kind, id)
      const loaded = work.record(kind.kind, id)
      if (loaded !== null) needs.toLoadNestedIn(kind, String(loaded[kind.parent.member]))
    },
    decide(draft) {
      const before = draft.record(kind, id)
      return before === null ? missing(wordFor(kind), given) : decide(draft, before)
    },
  })
}
