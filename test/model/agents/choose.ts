import { type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { agentsPath, anAgent, aProduct, channelsPath, setsPath } from '../../conformance/support/agent-requests.ts'
import { anIntegrationBody, integrationsPath } from '../../conformance/support/integrations.ts'
import { basesPath } from '../../knowledge/support/knowledge.ts'
import type { Random } from '../../support/random.ts'
import type { Holdings, Kind } from './holdings.ts'

/** A request that a client chose: the kind that it makes, changes or removes, and how. */
export interface Request {
  readonly kind: Kind | 'ai_operator'
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
}

type Choice = (random: Random, holdings: Holdings, channel: string) => Request | null

export const paths = {
  product_set: setsPath,
  knowledge_base: basesPath,
  api_integration: integrationsPath,
  agent: agentsPath,
} as const
const listed = ['product_set', 'knowledge_base', 'api_integration', 'agent'] as const

const text = (random: Random) => `Text ${random.between(1, 9)}`
const links = (random: Random, holdings: Holdings): JsonObject => ({
  productSetIds: holdings.some('product_set', random),
  knowledgeBaseIds: holdings.some('knowledge_base', random),
  apiIntegrationIds: holdings.some('api_integration', random),
})

/** Ids that several clients choose. */
const productId = (random: Random) => `p-${random.between(1, 12)}`
const uniqueName = () => `call_${newId().replaceAll('-', '_')}`

function create(kind: keyof typeof paths, random: Random, holdings: Holdings): Request {
  const name = text(random)
  const body = {
    product_set: { name },
    knowledge_base: { name },
    api_integration: anIntegrationBody({ name: uniqueName() }),
    agent: anAgent({ name, ...links(random, holdings) }),
  }[kind]
  return { kind, method: 'POST', path: paths[kind], body }
}

const choices: readonly Choice[] = [
  (random, holdings) => create(random.pick(listed), random, holdings),
  (random, holdings) => {
    const kind = random.pick(listed)
    const id = holdings.one(kind, random)
    const body = {
      description: text(random),
      ...(kind === 'agent' && random.next() < 0.7 ? links(random, holdings) : {}),
    }
    return id === null ? null : { kind, method: 'PATCH', path: `${paths[kind]}/${id}`, body }
  },
  (random, holdings) => {
    const kind = random.pick(listed)
    const id = holdings.ids[kind].size < 6 ? null : holdings.one(kind, random)
    const confirmed = kind === 'api_integration' || random.next() < 0.4 ? '' : '?confirmed=true'
    return id === null ? null : { kind, method: 'DELETE', path: `${paths[kind]}/${id}${confirmed}` }
  },
  ...Array.from(
    { length: 3 },
    (): Choice => (random, holdings) => {
      const set = holdings.one('product_set', random)
      if (set === null) return null
      const collection = `${setsPath}/${set}/products`
      const path = `${collection}/${productId(random)}`
      const name = text(random)
      return random.pick<Request>([
        { kind: 'product', method: 'POST', path: collection, body: aProduct({ id: productId(random), name }) },
        { kind: 'product', method: 'PUT', path, body: aProduct({ name }) },
        { kind: 'product', method: 'DELETE', path },
      ])
    },
  ),
  (random, holdings, channel) => {
    const agentId = random.next() < 0.7 ? holdings.one('agent', random) : null
    const body = { enabled: agentId !== null && random.next() < 0.8, agentId, greeting: text(random) }
    return { kind: 'ai_operator', method: 'PATCH', path: `${channelsPath}/${channel}/ai-operator`, body }
  },
]

export const choose: Choice = (random, holdings, channel) => random.pick(choices)(random, holdings, channel)
