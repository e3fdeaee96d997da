import type { ExtraNeed } from '../../kernel/index.ts'
import { type Directory, type JsonObject, Refusal } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { stageForNewDeal, topOfStageName } from './stage.rules.ts'

const selectTopOfStage = statement(
  'select_top_of_stage',
  `select d.rank from deals d
    where d.organization_id = $1 and d.stage_uuid = $2
    order by d.rank limit 1`,
)

// Positions are counted without the moved deal; the row before the place and the row at it.
const selectNeighbours = statement(
  'select_neighbours',
  `select d.id, d.rank from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank, d.id offset $4 limit $5`,
)

const selectEndOfStage = statement(
  'select_end_of_stage',
  `select d.id, d.rank from deals d
    where d.organization_id = $1 and d.stage_uuid = $2 and d.id <> $3
    order by d.rank desc, d.id desc limit 1`,
)

/** A new deal goes to the top of its stage: the rank that stands there now. */
export function needTopOfStage(input: JsonObject, directory: Directory): ExtraNeed[] {
  const stage = stageForNewDeal(input, directory)
  return stage instanceof Refusal ? [] : [topOfStage(stage.uuid)]
}

/** The lowest rank of a stage. */
function topOfStage(stageUuid: string): ExtraNeed {
  return { name: topOfStageName(stageUuid), statement: selectTopOfStage, values: [stageUuid] }
}

/** The deals before and at a 0-based position of a stage, and the stage's last one for positions beyond it. */
export function neighboursOf(stageUuid: string, dealId: string, position: number): ExtraNeed[] {
  const offset = Math.max(0, position - 1)
  const values = [stageUuid, dealId, offset, position === 0 ? 1 : 2]
  return [
    { name: 'neighbours', statement: selectNeighbours, values },
    { name: 'end_of_stage', statement: selectEndOfStage, values: [stageUuid, dealId] },
  ]
}
