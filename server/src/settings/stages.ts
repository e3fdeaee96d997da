import { type Database, statement } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { requireChange, uuidOf } from './values.ts'

// Counts the pipeline's other stages into which a new deal could go.
const updateStage = statement(
  'update_stage',
  `update stages s set archived = $3
    where s.organization_id = $1 and s.id = $2
   returning (select count(*)::integer from stages other
               where other.organization_id = $1 and other.pipeline_id = s.pipeline_id and other.id <> s.id
                 and other.type = 'open' and not other.archived) as others, s.type`,
)

export interface StageChange {
  readonly organizationId: string
  readonly stageUuid: string
  /** Archived: deals stay where they are, and no more come in. */
  readonly archived?: boolean | undefined
}

/** Changes a stage. Throws an `AdministrationError` when it is unknown or the last open one of its pipeline. */
export async function setStage(
  database: Database,
  { organizationId, stageUuid, ...change }: StageChange,
): Promise<{ id: string }> {
  requireChange(change)
  const uuid = uuidOf('stage', stageUuid)
  return configure(database, organizationId, async (transaction, id) => {
    const [stage] = await transaction.query(updateStage, [id, uuid, change.archived])
    if (stage === undefined) throw noSuch('stage', stageUuid)
    if (change.archived && stage.type === 'open' && stage.others === 0) {
      throw new AdministrationError('the last open stage of a pipeline cannot be archived')
    }
    return { id: uuid }
  })
}
