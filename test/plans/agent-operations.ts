import { expect } from 'vitest'
import {
  agentsPath,
  anAgent,
  aProduct,
  channelsPath,
  operatorPath,
  setsPath,
} from '../conformance/support/agent-requests.ts'
import type { TestOrganization } from '../support/organization.ts'
import { created, done } from './expected.ts'

/** Every operation of channels, agents, sets and products. Some of each stay. */
export async function callOperationsOfAgents(organization: TestOrganization): Promise<void> {
  const { client } = organization
  const { data: set } = await created(client.post(setsPath, { name: 'Spring', currency: 'EUR' }))
  const { data: unused } = await created(client.post(setsPath, { name: 'Autumn' }))
  await done(client.patch(`${setsPath}/${String(set.id)}`, { name: 'Summer' }))
  await done(client.get(`${setsPath}/${String(set.id)}`))
  const products = `${setsPath}/${String(set.id)}/products`
  for (const id of ['kept', 'gone']) await created(client.post(products, aProduct({ id })))
  await created(client.post(products, aProduct()))
  for (const page of [1, 2, 3]) await done(client.get(`${products}?limit=1&page=${page}`))
  await done(client.put(`${products}/kept`, aProduct({ name: 'Cup' })))
  await done(client.delete(`${products}/gone`))

  const { data: agent } = await created(client.post(agentsPath, anAgent({ productSetIds: [unused.id, set.id] })))
  const { data: other } = await created(client.post(agentsPath, anAgent({ productSetIds: [unused.id] })))
  const at = `${agentsPath}/${String(agent.id)}`
  await done(client.patch(at, { productSetIds: [set.id, unused.id], tone: 'friendly' }))
  await done(client.get(at))
  await done(client.get(agentsPath))
  for (const mode of ['', '?mode=with_links']) await done(client.get(`${setsPath}${mode}`))

  const operator = operatorPath(organization)
  await done(client.patch(operator, { enabled: true, agentId: other.id }))
  await done(client.patch(operator, { handoff: { assigneeUuid: organization.operator } }))
  await done(client.get(operator))
  await done(client.get(channelsPath))
  await done(client.get(`${agentsPath}/${String(other.id)}/channels`))
  expect((await client.delete(`${setsPath}/${String(unused.id)}`)).status).toBe(409)
  await done(client.delete(`${setsPath}/${String(unused.id)}?confirmed=true`))
  await done(client.delete(`${agentsPath}/${String(other.id)}?confirmed=true`))
  await done(client.patch(operator, { agentId: agent.id }))
}
