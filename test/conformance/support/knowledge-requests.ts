import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aBase, basesPath, putFile } from '../../knowledge/support/knowledge.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aForm, type Form } from './forms.ts'

type Build = (
  organization: TestOrganization,
) => Promise<{ readonly path: string; readonly body?: JsonObject; readonly form?: Form }>

/** The files of a new knowledge base, which has one. */
async function filesOf({ client }: TestOrganization): Promise<string> {
  const base = await aBase(client)
  const { status, body } = await putFile(client, { base, id: 'faq', name: 'faq.txt', content: 'Tea is hot.' })
  if (status !== 200) throw new Error(`no file was put: ${JSON.stringify(body)}`)
  return `${basesPath}/${base}/files`
}

/** A valid request for each operation of knowledge bases. */
export const knowledgeRequests: Readonly<Record<string, Build>> = {
  'knowledgeBases.list': async ({ client }) => {
    await aBase(client)
    return { path: basesPath }
  },
  'knowledgeBases.create': async () => ({ path: basesPath, body: { name: 'Help' } }),
  'knowledgeBases.get': async ({ client }) => ({ path: `${basesPath}/${await aBase(client)}` }),
  'knowledgeBases.update': async ({ client }) => ({
    path: `${basesPath}/${await aBase(client)}`,
    body: { description: 'For the shop' },
  }),
  'knowledgeBases.remove': async ({ client }) => ({ path: `${basesPath}/${await aBase(client)}` }),
  'knowledgeBases.files.list': async organization => ({ path: await filesOf(organization) }),
  'knowledgeBases.files.put': async organization => ({
    path: `${await filesOf(organization)}/faq`,
    form: aForm([{ name: 'file', fileName: 'faq.md', content: '# Tea\n\nIt is green.' }]),
  }),
  'knowledgeBases.files.remove': async organization => ({ path: `${await filesOf(organization)}/faq` }),
}
