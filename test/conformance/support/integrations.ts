import { expect } from 'vitest'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Answer } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'

export const integrationsPath = '/api/v1/ai-agents/external/api-integrations'

let count = 0

/** The body of a valid create request; its name is new. */
export function anIntegrationBody(members: JsonObject = {}): JsonObject {
  count += 1
  return {
    name: `find_order_${count}`,
    description: 'Finds an order by its number.',
    method: 'GET',
    url: 'https://api.example.com/orders/{orderNumber}',
    parameters: [{ name: 'orderNumber', in: 'path', type: 'string', description: 'The number of the order' }],
    auth: { type: 'bearer' },
    secret: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    ...members,
  }
}

/** An integration, created through the API. */
export async function anIntegration({ client }: TestOrganization, members: JsonObject = {}): Promise<JsonObject> {
  const { status, data, body } = await client.post(integrationsPath, anIntegrationBody(members))
  expect([status, body]).toEqual([201, expect.anything()])
  return data
}

/** The paths of the issues of a refused request, after its status. */
export function issuesOf({ status, details }: Answer): string {
  const issues: readonly JsonObject[] = Array.isArray(details.issues) ? details.issues : []
  return [status, ...issues.map(({ path, rule }) => `${path} ${rule}`)].join(', ')
}

interface Unsent {
  readonly path: string
  readonly body?: JsonObject
}

const addressOf = async (organization: TestOrganization) =>
  `${integrationsPath}/${(await anIntegration(organization)).id}`

/** A valid request for each operation on API integrations. */
export const integrationRequests: Readonly<Record<string, (organization: TestOrganization) => Promise<Unsent>>> = {
  'apiIntegrations.list': async organization => {
    await anIntegration(organization)
    return { path: integrationsPath }
  },
  'apiIntegrations.get': async organization => ({ path: await addressOf(organization) }),
  'apiIntegrations.create': async () => ({ path: integrationsPath, body: anIntegrationBody() }),
  'apiIntegrations.update': async organization => ({
    path: await addressOf(organization),
    body: { description: 'Finds an order, and tells where it is.' },
  }),
  'apiIntegrations.remove': async organization => ({ path: await addressOf(organization) }),
}
