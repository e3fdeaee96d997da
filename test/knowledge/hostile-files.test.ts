import { beforeAll, describe, expect, it } from 'vitest'
import { useApi } from '../conformance/support/given.ts'
import { archive } from '../conformance/support/workbooks.ts'
import type { TestOrganization } from '../support/organization.ts'
import { hostileFiles } from './support/hostile-files.ts'
import { aBase, basesPath, putFile, readFile } from './support/knowledge.ts'

const given = useApi()
let organization: TestOrganization
let base = ''
beforeAll(async () => {
  organization = await given.organization()
  base = await aBase(organization.client)
})

describe('a file that cannot be read fails with a reason', () => {
  it.each(hostileFiles)('$about', async ({ about, name, content, code }) => {
    const id = about.replaceAll(' ', '-')
    const file = await readFile(given.api, organization.client, { base, id, name, content: content() })
    expect(file).toMatchObject({ status: 'failed', error: { code } })
  })

  it('and the knowledge base says that something is wrong', async () => {
    expect((await organization.client.get(`${basesPath}/${base}`)).data.status).toBe('error')
  })
})

it('a text that begins with many comments is distinguished from a page in no noticeable time', async () => {
  for (const begin of ['<!---->', '\uFEFF', '<!--', '<!-- -->\n']) {
    const content = `${begin.repeat(Math.ceil(4096 / begin.length))}<p>The end</p>`
    const answer = await putFile(organization.client, { base, id: 'comments', name: 'a.txt', content })
    expect(answer.data.mimeType).toBe('text/plain')
  }
})

describe('a file of another kind is refused at once', () => {
  it.each([
    ['a picture', 'a.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['an old document, or one with a password', 'a.docx', Buffer.from('d0cf11e0a1b11ae10000', 'hex')],
    ['an archive', 'a.zip', archive([{ name: 'a.txt', content: 'a' }])],
  ])('%s', async (_about, name, content) => {
    const { status, error } = await putFile(organization.client, { base, id: name, name, content })
    expect([status, error.code]).toEqual([422, 'validation_error'])
  })
})
