import { Lookup } from '../../kernel/index.ts'
import { type Configuration, type JsonObject, Refusal, textOrNull } from '../../kernel/schema/index.ts'
import { claimedStatement, type Statement } from '../../kernel/sql/index.ts'
import { stageForNewDeal } from './stage.rules.ts'

const selectTopOfStage = claimedStatement(
  'select_top_of_stage',
  `select d.rank from deals d
    where d.organization_id = $1 and d.stage_uuid = $2
    order by d.rank limit 1`,
)

// The deal that moves is not counted.
const selectTopPlace = claimedStatement(
  'select_top_place',
  `select null as lower, d.rank as upper from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank limit 1`,
)

// Deals that were placed at the same moment may share a rank, and no rank fits between them. So the upper bound is the next higher rank,
// not the rank of the next deal. The index covers all columns of the query.
const selectPlace = claimedStatement(
  'select_place',
  `select p.rank as lower,
          (select d.rank from deals d
            where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3 and d.rank > p.rank
            order by d.rank limit 1) as upper
     from (select d.rank from deals d
            where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
            order by d.rank offset $4 limit 1) p`,
)

const selectEndOfStage = claimedStatement(
  'select_end_of_stage',
  `select d.rank as lower, null as upper from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank desc limit 1`,
)

/** The lowest rank of the stage that a new deal enters, because it goes to its top. */
export function topForNewDeal(input: JsonObject, configuration: Configuration): readonly Lookup<string | null>[] {
  const stage = stageForNewDeal(input, configuration)
  return stage instanceof Refusal ? [] : [topOfStage(stage.uuid)]
}

/** The lowest rank of a stage. A write that places a deal above it also considers the deals of the same transaction. */
export function topOfStage(stageUuid: string): Lookup<string | null> {
  return new Lookup(selectTopOfStage, [stageUuid], ([row]) => textOrNull(row?.rank), 'stays')
}

/** The ranks between which a deal is placed; null at the beginning and the end of the stage. */
export interface Between {
  readonly lower: string | null
  readonly upper: string | null
}

/**
 * The ranks around a position of a stage, counted from 0. The first match wins: the position itself or, for a position beyond the last
 * deal, the end of the stage. An empty stage has neither.
 */
export function placesInStage(stageUuid: string, dealId: string, position: number): readonly Lookup<Between | null>[] {
  const values = [stageUuid, dealId]
  if (position === 0) return [between(selectTopPlace, values)]
  return [between(selectPlace, [...values, position - 1]), between(selectEndOfStage, values)]
}

function between(select: Statement, values: readonly unknown[]): Lookup<Between | null> {
  return new Lookup(select, values, ([row]) =>
    row === undefined ? null : { lower: textOrNull(row.lower), upper: textOrNull(row.upper) },
  )
}
