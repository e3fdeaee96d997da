import type { Database } from '../kernel/sql/index.ts'
import type { DemoAdministration } from './administration.ts'
import { demoOrganizationId as organizationId } from './identity.ts'
import { customFields, operators, tags } from './sample/sample-configuration.ts'

/** The configuration that sample records refer to. */
export interface DemoConfiguration {
  /** By the name of the stage. */
  readonly stageUuids: ReadonlyMap<string, string>
  readonly lostReasonUuids: readonly string[]
  readonly operatorUuids: readonly string[]
  /** By the name of the tag. */
  readonly tagIds: ReadonlyMap<string, string>
}

/**
 * Gives the demo organization the pipeline and lost reasons that every organization gets, and operators, tags and
 * custom fields.
 */
export async function configureDemo(
  database: Database,
  administration: DemoAdministration,
): Promise<DemoConfiguration> {
  const { defaultPipeline, defaultLostReasons } = administration
  const pipeline = await administration.createPipeline(database, { organizationId, ...defaultPipeline })
  const lostReasonUuids: string[] = []
  for (const name of defaultLostReasons) {
    const { uuid } = await administration.createLostReason(database, { organizationId, name })
    lostReasonUuids.push(uuid)
  }
  const operatorUuids: string[] = []
  for (const operator of operators) {
    const { id } = await administration.createOperator(database, { organizationId, ...operator })
    operatorUuids.push(id)
  }
  const tagIds = new Map<string, string>()
  for (const tag of tags) {
    const { id } = await administration.createTag(database, { organizationId, ...tag })
    tagIds.set(tag.name, id)
  }
  for (const field of customFields) await administration.createCustomField(database, { organizationId, ...field })
  return {
    stageUuids: new Map(pipeline.stages.map(({ name, uuid }) => [name, uuid])),
    lostReasonUuids,
    operatorUuids,
    tagIds,
  }
}
