import {
  agentOf,
  agentsPath,
  anAgent,
  aProduct,
  channelsPath,
  operatorPath,
  setOf,
  setsPath,
} from '../../conformance/support/agent-requests.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { Case, Names } from './names.ts'

type Send = (client: Client, names: Names) => Promise<Answer>

const byPath = (operation: string, send: Send): Case => [
  operation,
  'the id in the path',
  '404 not_found',
  ({ client }, names) => send(client, names),
]

const agentAt = ({ agent }: Names) => `${agentsPath}/${agent}`
const setAt = ({ productSet }: Names) => `${setsPath}/${productSet}`
const productsOf = (names: Names) => `${setAt(names)}/products`
const operatorAt = ({ channel }: Names) => `${channelsPath}/${channel}/ai-operator`

/** What can be named in the routes of channels, agents, sets and products. */
export const agents: readonly Case[] = [
  byPath('aiOperators.get', (client, names) => client.get(operatorAt(names))),
  byPath('aiOperators.update', (client, names) => client.patch(operatorAt(names), { greeting: 'Hello' })),
  [
    'aiOperators.update',
    'the agent',
    '404 not_found',
    (organization, { agent }) => organization.client.patch(operatorPath(organization), { agentId: agent }),
  ],
  [
    'aiOperators.update',
    'the operator who takes over',
    '422 validation_error',
    (organization, { operator }) =>
      organization.client.patch(operatorPath(organization), { handoff: { assigneeUuid: operator } }),
  ],
  byPath('agents.get', (client, names) => client.get(agentAt(names))),
  byPath('agents.update', (client, names) => client.patch(agentAt(names), { name: 'Ann' })),
  byPath('agents.remove', (client, names) => client.delete(`${agentAt(names)}?confirmed=true`)),
  byPath('agents.channels.list', (client, names) => client.get(`${agentAt(names)}/channels`)),
  [
    'agents.create',
    'a set',
    '404 not_found',
    ({ client }, { productSet }) => client.post(agentsPath, anAgent({ productSetIds: [productSet] })),
  ],
  [
    'agents.update',
    'a set',
    '404 not_found',
    async (organization, { productSet }) => {
      const { id } = await agentOf(organization)
      return organization.client.patch(`${agentsPath}/${String(id)}`, { productSetIds: [productSet] })
    },
  ],
  byPath('productsSets.get', (client, names) => client.get(setAt(names))),
  byPath('productsSets.update', (client, names) => client.patch(setAt(names), { name: 'Summer' })),
  byPath('productsSets.remove', (client, names) => client.delete(`${setAt(names)}?confirmed=true`)),
  byPath('productsSets.products.list', (client, names) => client.get(productsOf(names))),
  byPath('productsSets.products.create', (client, names) => client.post(productsOf(names), aProduct())),
  byPath('productsSets.products.replace', (client, names) =>
    client.put(`${productsOf(names)}/${names.product}`, aProduct()),
  ),
  byPath('productsSets.products.remove', (client, names) => client.delete(`${productsOf(names)}/${names.product}`)),
  [
    'productsSets.products.replace',
    'the product below an own set',
    '404 not_found',
    async (organization, { product }) => {
      const { id } = await setOf(organization)
      return organization.client.put(`${setsPath}/${String(id)}/products/${product}`, aProduct())
    },
  ],
]
