import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Agent } from './agents.ts'
import { textOrBlank } from './json.ts'
import { pipelineName, stages } from './stages.ts'

/** Settings for which the API has no routes are made with the commands of the installation. */
const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

export async function demoToken(): Promise<string> {
  const output = await crm('demo', 'token')
  return output.trim()
}

export async function createOperator(organizationId: string, { name, email }: Agent): Promise<void> {
  await crm('operator', 'create', '--organization', organizationId, '--name', name, '--email', email, '--json')
}

export async function createPipeline(organizationId: string): Promise<void> {
  const stageOptions = stages.flatMap(({ name, type }) => ['--stage', `${name}:${type}`])
  const options = ['--organization', organizationId, '--name', pipelineName, ...stageOptions, '--lost-reason-optional']
  await crm('pipeline', 'create', ...options, '--json')
}

async function crm(...words: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'crm', '--', ...words], { cwd: projectFolder })
    return stdout
  } catch (error) {
    const reason = textOrBlank(error, 'stderr').trim() || textOrBlank(error, 'code')
    throw new Error(`The command "npm run -s crm -- ${words.slice(0, 2).join(' ')}" failed: ${reason}`, {
      cause: error,
    })
  }
}
