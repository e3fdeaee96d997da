import { agentsPath, anAgent } from '../../conformance/support/agent-requests.ts'
import { aBase, basesPath, putFile } from '../../knowledge/support/knowledge.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { Case, Names } from './names.ts'

const byPath = (operation: string, send: (client: Client, names: Names) => Promise<Answer>): Case => [
  operation,
  'the id in the path',
  '404 not_found',
  ({ client }, names) => send(client, names),
]

const baseAt = ({ knowledgeBase }: Names) => `${basesPath}/${knowledgeBase}`
const text = { name: 'faq.txt', content: 'Tea is hot.' }

/** What can be named in the routes of knowledge bases. */
export const knowledge: readonly Case[] = [
  byPath('knowledgeBases.get', (client, names) => client.get(baseAt(names))),
  byPath('knowledgeBases.update', (client, names) => client.patch(baseAt(names), { name: 'Help' })),
  byPath('knowledgeBases.remove', (client, names) => client.delete(`${baseAt(names)}?confirmed=true`)),
  byPath('knowledgeBases.files.list', (client, names) => client.get(`${baseAt(names)}/files`)),
  byPath('knowledgeBases.files.put', (client, names) =>
    putFile(client, { base: names.knowledgeBase, id: names.knowledgeFile, ...text }),
  ),
  byPath('knowledgeBases.files.remove', (client, names) =>
    client.delete(`${baseAt(names)}/files/${names.knowledgeFile}`),
  ),
  [
    'knowledgeBases.files.remove',
    'the file below an own base',
    '404 not_found',
    async ({ client }, { knowledgeFile }) =>
      client.delete(`${basesPath}/${await aBase(client)}/files/${knowledgeFile}`),
  ],
  [
    'agents.create',
    'a knowledge base',
    '404 not_found',
    ({ client }, { knowledgeBase }) => client.post(agentsPath, anAgent({ knowledgeBaseIds: [knowledgeBase] })),
  ],
]
