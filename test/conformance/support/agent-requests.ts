import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Answer } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'

const aiAgents = '/api/v1/ai-agents/external'
export const agentsPath = `${aiAgents}/agents`
export const setsPath = `${aiAgents}/products-sets`
export const channelsPath = '/api/v1/external/channels'

/** The body of a valid request that makes an agent. */
export const anAgent = (members: JsonObject = {}): JsonObject => ({
  name: 'Shop assistant',
  instructions: 'Answer briefly.',
  ...members,
})

/** The body of a valid request that makes a product, or replaces one. */
export const aProduct = (members: JsonObject = {}): JsonObject => ({ name: 'Tea pot', price: '24.90', ...members })

/** An agent, made through the API. */
export async function agentOf({ client }: TestOrganization, members: JsonObject = {}): Promise<JsonObject> {
  return made(await client.post(agentsPath, anAgent(members)))
}

/** A set of products. */
export async function setOf({ client }: TestOrganization, members: JsonObject = {}): Promise<JsonObject> {
  return made(await client.post(setsPath, { name: 'Spring catalogue', ...members }))
}

/** A product of a new set, and where it is. */
export async function productOf(organization: TestOrganization, members: JsonObject = {}) {
  const set = await setOf(organization)
  const collection = `${setsPath}/${String(set.id)}/products`
  const product = made(await organization.client.post(collection, aProduct({ id: 'tea-pot:1', ...members })))
  return { set, collection, product, path: `${collection}/${String(product.id)}` }
}

/** Where the AI operator of the organization's channel is. */
export const operatorPath = ({ channel }: TestOrganization) => `${channelsPath}/${channel}/ai-operator`

function made({ status, data, body }: Answer): JsonObject {
  if (status !== 201) throw new Error(`nothing was made: ${JSON.stringify(body)}`)
  return data
}

type Build = (organization: TestOrganization) => Promise<{ readonly path: string; readonly body?: JsonObject }>

/** A valid request for each operation of channels and AI agents. */
export const agentRequests: Readonly<Record<string, Build>> = {
  'channels.list': async () => ({ path: channelsPath }),
  'aiOperators.get': async organization => ({ path: operatorPath(organization) }),
  'aiOperators.update': async organization => ({
    path: operatorPath(organization),
    body: { enabled: true, agentId: (await agentOf(organization)).id, greeting: 'Good morning' },
  }),
  'agents.list': async organization => {
    await agentOf(organization)
    return { path: agentsPath }
  },
  'agents.create': async organization => ({
    path: agentsPath,
    body: anAgent({ productSetIds: [(await setOf(organization)).id] }),
  }),
  'agents.get': async organization => ({ path: `${agentsPath}/${String((await agentOf(organization)).id)}` }),
  'agents.update': async organization => ({
    path: `${agentsPath}/${String((await agentOf(organization)).id)}`,
    body: { description: 'For the shop' },
  }),
  'agents.remove': async organization => ({ path: `${agentsPath}/${String((await agentOf(organization)).id)}` }),
  'agents.channels.list': async organization => {
    const { id } = await agentOf(organization)
    await organization.client.patch(operatorPath(organization), { agentId: id })
    return { path: `${agentsPath}/${String(id)}/channels` }
  },
  'productsSets.list': async organization => {
    await setOf(organization)
    return { path: `${setsPath}?mode=with_links` }
  },
  'productsSets.create': async () => ({ path: setsPath, body: { name: 'Spring catalogue', currency: 'EUR' } }),
  'productsSets.get': async organization => ({ path: `${setsPath}/${String((await setOf(organization)).id)}` }),
  'productsSets.update': async organization => ({
    path: `${setsPath}/${String((await setOf(organization)).id)}`,
    body: { name: 'Autumn catalogue' },
  }),
  'productsSets.remove': async organization => ({ path: `${setsPath}/${String((await setOf(organization)).id)}` }),
  'productsSets.products.list': async organization => ({ path: (await productOf(organization)).collection }),
  'productsSets.products.create': async organization => ({
    path: `${setsPath}/${String((await setOf(organization)).id)}/products`,
    body: aProduct({ attributes: { material: 'porcelain' } }),
  }),
  'productsSets.products.replace': async organization => ({
    path: (await productOf(organization)).path,
    body: aProduct({ name: 'Coffee pot' }),
  }),
  'productsSets.products.remove': async organization => ({ path: (await productOf(organization)).path }),
}
