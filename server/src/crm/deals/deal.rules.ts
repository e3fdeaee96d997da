import {
  type Configuration,
  type JsonObject,
  joinRefusals,
  Refusal,
  rankBetween,
  violates,
} from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'
import { settleMoney } from './money.rules.ts'
import { enterStage, lowestRank, stageForNewDeal } from './stage.rules.ts'

interface Context {
  readonly previous: DealState | null
  readonly input: JsonObject
  readonly write: { readonly configuration: Configuration; readonly now: string; random(): number }
  /** The lowest rank that is stored in a stage. */
  topOf(stageUuid: string): string | null
  siblings(): Iterable<DealState>
}

/** Rules for deals beyond those of their fields (contract sections 6.3 and 7). */
export const dealRules = {
  forbids:
    'The deal would have no company and no contact; its stage, pipeline, currency or reason of a loss is not one that it can have; or a discount of an item would be higher than its subtotal.',

  settle(next: DealState, context: Context): DealState | Refusal {
    const placed = context.previous === null ? placeNewDeal(next, context) : commentOnLost(next, context.input)
    const present = placed instanceof Refusal ? next : placed
    const settled = settleMoney(present, context.previous, context.input, context.write.configuration)
    return joinRefusals(placed, settled, refuseWithoutParty(present)) ?? settled
  },

  relinked: (next: DealState): DealState | Refusal => refuseWithoutParty(next) ?? next,
}

/** A deal always keeps at least one company or contact. Unsorted deals from channels are an exception. */
function refuseWithoutParty({ kind, companies, contacts }: DealState): Refusal | null {
  if (kind !== 'ordinary' || companies.length + contacts.length > 0) return null
  const message = 'A deal needs at least one company or contact'
  return violates('/companies', 'deal_party_required', message, { reason: 'deal_party_required' })
}

function placeNewDeal(next: DealState, { input, write, topOf, siblings }: Context): DealState | Refusal {
  const stage = stageForNewDeal(input, write.configuration)
  if (stage instanceof Refusal) return stage
  const entered = enterStage({ ...next, stageSpan: 0 }, stage, input, write.configuration, write.now)
  if (entered instanceof Refusal) return entered
  const lowest = lowestRank(stage.uuid, topOf(stage.uuid), siblings())
  return { ...entered, rank: rankBetween(null, lowest, write.random) }
}

function commentOnLost(next: DealState, input: JsonObject): DealState | Refusal {
  if (next.status === 'lost' || typeof input.lostReasonComment !== 'string') return next
  return violates('/lostReasonComment', 'status', 'Only a lost deal has a comment on why it was lost')
}
