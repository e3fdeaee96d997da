import type { Client } from './client.ts'
import { integerOf, listOf, memberOf, textOf, textsOf } from './json.ts'

/** The part of GET /capabilities that this program needs. */
export type Capabilities = {
  organizationId: string
  currencies: string[]
  batchItems: number
  listMax: number
  writesPerMinute: number
  operators: Operator[]
  pipelines: Pipeline[]
}

type Operator = { uuid: string; name: string; isActive: boolean }
type Pipeline = { id: string; name: string; lostReasonRequired: boolean; stages: Stage[] }
type Stage = { uuid: string; name: string; type: string }

export async function readCapabilities(client: Client): Promise<Capabilities> {
  const { data } = await client.get('/capabilities')
  const organization = memberOf(data, 'organization')
  const limits = memberOf(data, 'limits')
  const writes = memberOf(memberOf(data, 'rateLimits'), 'write')
  const directories = memberOf(data, 'directories')
  return {
    organizationId: textOf(organization, 'id'),
    currencies: textsOf(organization, 'currencies'),
    batchItems: integerOf(limits, 'batchItems'),
    listMax: integerOf(limits, 'listMax'),
    writesPerMinute: Math.floor((integerOf(writes, 'limit') * 60) / integerOf(writes, 'windowSeconds')),
    operators: readDirectory(directories, 'operators').map(readOperator),
    pipelines: readDirectory(directories, 'pipelines').map(readPipeline),
  }
}

function readDirectory(directories: unknown, name: string): unknown[] {
  const entries = listOf(directories, name)
  // Directories list at most 1000 entries. Beyond that, a name that is not listed may still exist.
  if (entries.length >= 1000) throw new Error(`The organization has too many ${name} to find one by its name`)
  return entries
}

function readOperator(entry: unknown): Operator {
  return { uuid: textOf(entry, 'uuid'), name: textOf(entry, 'name'), isActive: memberOf(entry, 'isActive') === true }
}

function readPipeline(entry: unknown): Pipeline {
  return {
    id: textOf(entry, 'id'),
    name: textOf(entry, 'name'),
    lostReasonRequired: memberOf(entry, 'lostReasonRequired') === true,
    stages: listOf(entry, 'stages').map(stage => ({
      uuid: textOf(stage, 'uuid'),
      name: textOf(stage, 'name'),
      type: textOf(stage, 'type'),
    })),
  }
}
