import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Crm } from 'crm-sdk'
import type { Agent } from './agents.ts'
import { currency } from './opportunities.ts'
import { pipelineName, type StageName, stages } from './stages.ts'

/** The identifiers of the settings that deals refer to. */
export type Directories = {
  pipelineId: string
  stageUuids: ReadonlyMap<StageName, string>
  operatorUuids: ReadonlyMap<string, string>
}

/** Creates the missing pipeline and operators, which are recognized by their names. The API has no routes for that: commands do it. */
export async function ensureDirectories(crm: Crm, agents: readonly Agent[]): Promise<Directories> {
  const { organization, directories } = await crm.capabilities.get()
  const ofOrganization = ['--organization', organization.id]
  if (!organization.currencies.includes(currency)) {
    const command = `npm run -s crm -- organization set ${ofOrganization.join(' ')}`
    throw new Error(
      `Enable ${currency} first: ${command} --currencies ${[...organization.currencies, currency].join(',')}`,
    )
  }
  // A name that is not listed may then still exist.
  if (directories.truncated.length > 0) throw new Error(`Too many entries: ${directories.truncated.join(', ')}`)

  if (!directories.pipelines.some(({ name }) => name === pipelineName)) {
    const asked = stages.flatMap(({ name, type }) => ['--stage', `${name}:${type}`])
    await command('pipeline', 'create', ...ofOrganization, '--name', pipelineName, ...asked, '--lost-reason-optional')
  }
  const known = new Set(directories.operators?.map(({ name }) => name))
  for (const { name, email } of agents) {
    if (!known.has(name)) await command('operator', 'create', ...ofOrganization, '--name', name, '--email', email)
  }
  return readDirectories(crm, agents)
}

async function readDirectories(crm: Crm, agents: readonly Agent[]): Promise<Directories> {
  const { pipelines, operators = [] } = (await crm.capabilities.get()).directories
  const pipeline = pipelines.find(({ name }) => name === pipelineName)
  if (!pipeline) throw new Error(`The pipeline "${pipelineName}" is not listed`)
  if (pipeline.lostReasonRequired) throw new Error(`The pipeline "${pipelineName}" asks for a reason of each loss`)
  const stageUuids = stages.map(({ name, type }) => {
    const stage = pipeline.stages.find(candidate => candidate.name === name && candidate.type === type)
    if (!stage) throw new Error(`The pipeline "${pipelineName}" has no stage "${name}" of the type ${type}`)
    return [name, stage.uuid] as const
  })
  const operatorUuids = agents.map(({ name }) => {
    const operator = operators.find(candidate => candidate.name === name && candidate.isActive)
    if (!operator) throw new Error(`The operator "${name}" is not listed, or is inactive`)
    return [name, operator.uuid] as const
  })
  return { pipelineId: pipeline.id, stageUuids: new Map(stageUuids), operatorUuids: new Map(operatorUuids) }
}

export function uuidOf<Name extends string>(uuids: ReadonlyMap<Name, string>, name: Name): string {
  const uuid = uuids.get(name)
  if (uuid === undefined) throw new Error(`"${name}" is not in the directory`)
  return uuid
}

export async function demoToken(): Promise<string> {
  return (await command('demo', 'token')).trim()
}

/** Runs a command of the installation. Throws with what it has said if it fails. */
async function command(...words: string[]): Promise<string> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  return (await promisify(execFile)('npm', ['run', '-s', 'crm', '--', ...words], { cwd })).stdout
}
