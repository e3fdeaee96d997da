import { agentsPath, anAgent } from '../conformance/support/agent-requests.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import type { TestOrganization } from '../support/organization.ts'
import { created, done } from './expected.ts'

/** Every operation of knowledge bases. A base with a file stays, and an agent that uses it. */
export async function callOperationsOfKnowledge({ client }: TestOrganization): Promise<void> {
  const [base, unused] = [await aBase(client), await aBase(client)]
  const at = `${basesPath}/${base}`
  await created(client.post(agentsPath, anAgent({ knowledgeBaseIds: [base] })))
  for (const [id, content] of [
    ['faq', 'Tea is hot.'],
    ['faq', 'Tea is hot.'],
    ['faq', 'Tea is cold.'],
    ['gone', 'Nothing lasts.'],
  ] as const) {
    await done(putFile(client, { base, id, name: 'faq.txt', content }))
  }
  await done(client.get(`${at}/files`))
  await done(client.delete(`${at}/files/gone`))
  await done(client.patch(at, { description: 'For the shop' }))
  await done(client.get(at))
  await done(client.get(basesPath))
  await done(client.delete(`${basesPath}/${unused}`))
}
