import type { ExtraNeed } from '../../kernel/index.ts'
import { type Configuration, type JsonObject, Refusal } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { stageForNewDeal, topOfStageName } from './stage.rules.ts'

const selectTopOfStage = claimedStatement(
  'select_top_of_stage',
  `select d.rank from deals d
    where d.organization_id = $1 and d.stage_uuid = $2
    order by d.rank limit 1`,
)

// The moved deal is not counted.
const selectTopPlace = claimedStatement(
  'select_top_place',
  `select null as lower, d.rank as upper from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank limit 1`,
)

// Deals that were placed at the same moment may share a rank, and no rank fits between them. So the upper end of a
// place is the next higher rank, not the next deal. Everything that is asked for stands in the index.
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

/** Needs the lowest rank of the stage, because a new deal goes to its top. */
export function needTopOfStage(input: JsonObject, configuration: Configuration): ExtraNeed[] {
  const stage = stageForNewDeal(input, configuration)
  return stage instanceof Refusal ? [] : [topOfStage(stage.uuid)]
}

/** Needs the lowest rank of a stage. A write that places a deal above it looks at the deals of the same transaction, too. */
export function topOfStage(stageUuid: string): ExtraNeed {
  const name = topOfStageName(stageUuid)
  return { name, statement: selectTopOfStage, values: [stageUuid], inGroup: 'stays' }
}

/**
 * Needs the ranks around a position of a stage, counted from 0: `place`, or `end_of_stage` for a position beyond its
 * last deal.
 */
export function placeInStage(stageUuid: string, dealId: string, position: number): ExtraNeed[] {
  const values = [stageUuid, dealId]
  if (position === 0) return [{ name: 'place', statement: selectTopPlace, values }]
  return [
    { name: 'place', statement: selectPlace, values: [...values, position - 1] },
    { name: 'end_of_stage', statement: selectEndOfStage, values },
  ]
}
