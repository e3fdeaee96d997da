import {
  bulkTransition,
  expectedVersionSchema,
  type RecordState,
  Refusal,
  type Transition,
  transition,
  type WriteContext,
} from '../../kernel/index.ts'
import {
  compileSchema,
  isObject,
  type JsonObject,
  optionalUuidSchema,
  placeInput,
  rankBetween,
  uuidSchema,
} from '../../kernel/schema/index.ts'
import type { WorkingSet } from '../../kernel/write/index.ts'
import { deal } from './deal.ts'
import type { DealState } from './deal-fields.ts'
import { enterStage, isMoved, lowestRank, usableStage } from './stage.rules.ts'
import { type Between, placesInStage, topOfStage } from './stage.sql.ts'
import { lostReasonComment } from './stage-fields.ts'

const schema = {
  type: 'object',
  required: ['expectedVersion', 'stageUuid'],
  properties: {
    expectedVersion: expectedVersionSchema,
    stageUuid: { ...uuidSchema, description: 'The stage to enter; one of another pipeline takes the deal there.' },
    position: {
      ...placeInput,
      description:
        '0-based place in the stage, counted without this deal; beyond the end is the end. The top unless given.',
    },
    lostReasonCategoryUuid: {
      ...optionalUuidSchema,
      description: 'Why the deal is lost: one of directories.lostReasonCategories. Only a lost stage takes it.',
    },
    lostReasonComment: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 2000,
      description: 'More on why the deal is lost. Only a lost stage takes it.',
    },
  },
  additionalProperties: false,
}
const check = compileSchema(schema)

const move: Transition = {
  verb: 'move',
  method: 'PATCH',
  summary: 'Move a deal to a stage, or to another place in its stage',
  description: 'Won and lost stages close the deal, open ones reopen it. A lost stage takes the reason of the loss.',
  forbids:
    'The stage does not exist or is archived, or the reason of a loss is missing, unknown or not for this stage.',
  body: {
    name: 'DealMove',
    schema,
    required: true,
    parse(body) {
      const comment = isObject(body) ? lostReasonComment.tidy?.(body.lostReasonComment) : undefined
      const value = isObject(body) && comment !== undefined ? { ...body, lostReasonComment: comment } : body
      return { value, issues: check(value, '') }
    },
  },
  needs({ stageUuid, position }, id) {
    const uuid = String(stageUuid).toLowerCase()
    return typeof position === 'number' ? placesInStage(uuid, id, position) : [topOfStage(uuid)]
  },
  to: (record, input, work, write) => moved(record, lowerIds(input), work, write),
  eventKind: (before, after) => (isMoved(before, after) ? 'deal.moved' : null),
}

/** `PATCH /deals/:id/move`: the only way to move a deal to another stage (contract section 7, "Move rules"). */
export const moveDeal = transition(deal, move)

/** The same for the deals of a bulk job: one after another, each moves to the top of the stage. */
export const moveDeals = bulkTransition(deal, move, ['stageUuid', 'lostReasonCategoryUuid'])

function moved(record: RecordState, input: JsonObject, work: WorkingSet, write: WriteContext): RecordState | Refusal {
  if (!isDeal(record)) throw new Error(`${record.id} was not loaded as a deal`)
  const stage = usableStage(String(input.stageUuid), write.configuration)
  if (stage instanceof Refusal) return stage
  const next = enterStage(record, stage, input, write.configuration, write.now)
  if (next instanceof Refusal) return next
  const isThere = record.stageUuid === stage.uuid
  if (isThere && input.position === undefined) return { ...record, ...next }
  const { position } = input
  const place = typeof position === 'number' ? placeAt(stage.uuid, record.id, position, work) : topOf(stage.uuid, work)
  const stays = isThere && holds(record, place)
  return { ...record, ...next, ...(stays ? {} : { rank: rankBetween(place.lower, place.upper, write.random) }) }
}

/** A rank above all deals of the stage, including those that the same mutation has moved. */
function topOf(stageUuid: string, work: WorkingSet): Between {
  return { lower: null, upper: lowestRank(stageUuid, work.read(topOfStage(stageUuid)), work.siblings(deal.kind)) }
}

/** The ranks between which the position lies. In an empty stage both are null. */
function placeAt(stageUuid: string, dealId: string, position: number, work: WorkingSet): Between {
  const [place] = placesInStage(stageUuid, dealId, position).flatMap(lookup => work.read(lookup) ?? [])
  return place ?? { lower: null, upper: null }
}

/**
 * Whether the deal already has the position. If it shares its rank with a neighbour, the position is ambiguous, so the move gives it a rank
 * of its own.
 */
function holds({ rank }: DealState, { lower, upper }: Between): boolean {
  return (lower === null || lower < rank) && (upper === null || rank < upper)
}

function isDeal(record: RecordState): record is RecordState & DealState {
  return typeof record.stageUuid === 'string' && typeof record.rank === 'string'
}

function lowerIds(input: JsonObject): JsonObject {
  const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
  const { stageUuid, lostReasonCategoryUuid, ...rest } = input
  const reason = lostReasonCategoryUuid === undefined ? {} : { lostReasonCategoryUuid: lower(lostReasonCategoryUuid) }
  return { stageUuid: lower(stageUuid), ...rest, ...reason }
}
