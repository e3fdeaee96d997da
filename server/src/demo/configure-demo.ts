import { customFieldKinds, taggedKinds } from '../modules.ts'
import {
  type Administration,
  createCustomField,
  createOperator,
  createTag,
  type StartingSettings,
} from '../settings/index.ts'
import { ensureDemoMembers } from './demo-members.ts'
import { demoOrganizationId as organizationId } from './identity.ts'
import { operators, sampleCustomFields, sampleTags } from './sample/sample-configuration.ts'

/** The configuration that sample records refer to. */
export interface DemoConfiguration {
  /** By the name of the stage. */
  readonly stageUuids: ReadonlyMap<string, string>
  readonly lostReasonUuids: readonly string[]
  readonly operatorUuids: readonly string[]
  /** By the name of the tag. */
  readonly tagIds: ReadonlyMap<string, string>
}

/** Adds operators, members, tags and custom fields to the demo organization, besides its initial settings. */
export async function configureDemo(
  administration: Administration,
  { pipeline, lostReasonUuids }: StartingSettings,
): Promise<DemoConfiguration> {
  const operatorUuids: string[] = []
  for (const operator of operators) {
    const { id } = await createOperator(administration, { organizationId, ...operator })
    operatorUuids.push(id)
  }
  await ensureDemoMembers(administration)
  const tagIds = new Map<string, string>()
  for (const tag of sampleTags) {
    const { id } = await createTag(administration, { organizationId, ...tag }, taggedKinds)
    tagIds.set(tag.name, id)
  }
  for (const field of sampleCustomFields)
    await createCustomField(administration, { organizationId, ...field }, customFieldKinds)
  return {
    stageUuids: new Map(pipeline.stages.map(({ name, uuid }) => [name, uuid])),
    lostReasonUuids,
    operatorUuids,
    tagIds,
  }
}
