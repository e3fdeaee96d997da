import type { Agent } from './agents.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { Client } from './client.ts'
import { createOperator, createPipeline } from './commands.ts'
import type { Progress } from './progress.ts'
import { pipelineName, type StageName, stages } from './stages.ts'

/** The identifiers of the records and settings that deals refer to. */
export type Directories = {
  pipelineId: string
  stageUuids: Map<StageName, string>
  operatorUuids: Map<string, string>
}

/** Creates the missing pipeline and operators. Existing ones are recognized by their names. */
export async function ensureDirectories(client: Client, agents: Agent[], progress: Progress): Promise<Directories> {
  await createIfMissing(client, hasPipeline, createPipeline)
  for (const agent of agents) {
    await createIfMissing(
      client,
      ({ operators }) => operators.some(operator => operator.name === agent.name),
      organizationId => createOperator(organizationId, agent),
    )
    progress.advance()
  }

  const capabilities = await readCapabilities(client)
  return { ...findPipeline(capabilities), operatorUuids: findOperators(capabilities, agents) }
}

export function uuidOf<Name extends string>(uuids: Map<Name, string>, name: Name): string {
  const uuid = uuids.get(name)
  if (uuid === undefined) throw new Error(`"${name}" is not in the directory`)
  return uuid
}

async function createIfMissing(
  client: Client,
  exists: (capabilities: Capabilities) => boolean,
  create: (organizationId: string) => Promise<void>,
) {
  const capabilities = await readCapabilities(client)
  if (exists(capabilities)) return
  try {
    await create(capabilities.organizationId)
  } catch (error) {
    // The last command of a killed run may still have been running: look once more.
    if (!exists(await readCapabilities(client))) throw error
  }
}

function hasPipeline({ pipelines }: Capabilities): boolean {
  return pipelines.some(pipeline => pipeline.name === pipelineName)
}

function findPipeline({ pipelines }: Capabilities) {
  const pipeline = pipelines.find(({ name }) => name === pipelineName)
  if (!pipeline) throw new Error(`The pipeline "${pipelineName}" is not listed`)
  if (pipeline.lostReasonRequired) throw new Error(`The pipeline "${pipelineName}" asks for a reason of each loss`)

  const stageUuids = new Map<StageName, string>()
  for (const { name, type } of stages) {
    const stage = pipeline.stages.find(candidate => candidate.name === name && candidate.type === type)
    if (!stage) throw new Error(`The pipeline "${pipelineName}" has no stage "${name}" of the type ${type}`)
    stageUuids.set(name, stage.uuid)
  }
  return { pipelineId: pipeline.id, stageUuids }
}

function findOperators({ operators }: Capabilities, agents: Agent[]) {
  const uuids = new Map<string, string>()
  for (const { name } of agents) {
    const operator = operators.find(candidate => candidate.name === name && candidate.isActive)
    if (!operator) throw new Error(`The operator "${name}" is not listed, or is inactive`)
    uuids.set(name, operator.uuid)
  }
  return uuids
}
