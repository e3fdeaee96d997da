import { newId, type StageType } from '../kernel/schema/index.ts'
import { type Database, statement, type Transaction } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { nameOf, wordOf } from './values.ts'

const stageTypes: readonly StageType[] = ['open', 'won', 'lost']

export interface NewPipeline {
  readonly name: string
  /** In order; at least one is open. */
  readonly stages: readonly { readonly name: string; readonly type: string }[]
  /** Takes over from the pipeline that is the default now. */
  readonly isDefault?: boolean | undefined
  /** Whether a lost deal needs a reason; true unless told. */
  readonly lostReasonRequired?: boolean | undefined
}

export interface CreatedPipeline {
  readonly id: string
  readonly stages: readonly { readonly uuid: string; readonly name: string; readonly type: StageType }[]
}

/** What every organization starts with. */
export const defaultPipeline: NewPipeline = {
  name: 'Sales',
  stages: [
    { name: 'New', type: 'open' },
    { name: 'Qualified', type: 'open' },
    { name: 'Proposal', type: 'open' },
    { name: 'Negotiation', type: 'open' },
    { name: 'Won', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ],
  isDefault: true,
}

const unsetDefaultPipeline = statement(
  'unset_default_pipeline',
  'update pipelines p set is_default = false where p.organization_id = $1 and p.is_default',
)

const insertPipelineRow = statement(
  'insert_pipeline',
  `insert into pipelines (organization_id, id, name, is_default, lost_reason_required, position, created_at)
   select $1, $2, $3, $4, $5, coalesce(max(p.position) + 1, 0), now()
     from pipelines p where p.organization_id = $1`,
)

const insertStages = statement(
  'insert_stages',
  `insert into stages (organization_id, id, pipeline_id, name, type, position)
   select $1, s.id, $2, s.name, s.type, s.ordinal - 1
     from unnest($3::uuid[], $4::text[], $5::text[]) with ordinality as s(id, name, type, ordinal)`,
)

/** Creates a pipeline with its stages. Throws an `AdministrationError` for a value that is not valid. */
export async function createPipeline(
  database: Database,
  { organizationId, ...pipeline }: NewPipeline & { readonly organizationId: string },
): Promise<CreatedPipeline> {
  return configure(database, organizationId, (transaction, id) => insertPipeline(transaction, id, pipeline))
}

/** The pipeline of a new organization, or of an existing one, in a transaction that has begun. */
export async function insertPipeline(
  transaction: Transaction,
  organizationId: string,
  { name, stages, isDefault = false, lostReasonRequired = true }: NewPipeline,
): Promise<CreatedPipeline> {
  const id = newId()
  const created = stages.map(stage => ({
    uuid: newId(),
    name: nameOf('the name of a stage', stage.name),
    type: wordOf('the type of a stage', stageTypes, stage.type),
  }))
  if (!created.some(({ type }) => type === 'open')) {
    throw new AdministrationError('a pipeline needs at least one open stage')
  }
  if (new Set(created.map(stage => stage.name.toLowerCase())).size < created.length) {
    throw new AdministrationError('the stages of a pipeline have different names')
  }
  const values = [organizationId, id, nameOf('the name of a pipeline', name), isDefault, lostReasonRequired]
  if (isDefault) await transaction.query(unsetDefaultPipeline, [organizationId])
  await transaction.query(insertPipelineRow, values)
  const columns = [created.map(stage => stage.uuid), created.map(stage => stage.name), created.map(({ type }) => type)]
  await transaction.query(insertStages, [organizationId, id, ...columns])
  return { id, stages: created }
}
