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

// Places are counted without the moved deal.
const selectTopPlace = claimedStatement(
  'select_top_place',
  `select null as lower, d.rank as upper from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank limit 1`,
)

// Deals that were placed at the same moment may share a rank, and nothing fits between them: a place ends at the next
// higher rank, not at the next deal.
const selectPlace = claimedStatement(
  'select_place',
  `select p.rank as lower,
          (select d.rank from deals d
            where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3 and d.rank > p.rank
            order by d.rank limit 1) as upper
     from (select d.rank from deals d
            where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
            order by d.rank, d.id offset $4 limit 1) p`,
)

const selectEndOfStage = claimedStatement(
  'select_end_of_stage',
  `select d.rank as lower, null as upper from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank desc limit 1`,
)

/** A new deal goes to the top of its stage: the rank that stands there now. */
export function needTopOfStage(input: JsonObject, configuration: Configuration): ExtraNeed[] {
  const stage = stageForNewDeal(input, configuration)
  return stage instanceof Refusal ? [] : [topOfStage(stage.uuid)]
}

/** The lowest rank of a stage. */
function topOfStage(stageUuid: string): ExtraNeed {
  return { name: topOfStageName(stageUuid), statement: selectTopOfStage, values: [stageUuid] }
}

/** The ranks between which a 0-based position of a stage lies: `place`, or `end_of_stage` beyond its last deal. */
export function placeOf(stageUuid: string, dealId: string, position: number): ExtraNeed[] {
  const values = [stageUuid, dealId]
  if (position === 0) return [{ name: 'place', statement: selectTopPlace, values }]
  return [
    { name: 'place', statement: selectPlace, values: [...values, position - 1] },
    { name: 'end_of_stage', statement: selectEndOfStage, values },
  ]
}
