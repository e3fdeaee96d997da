import { expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import { aForm } from './support/forms.ts'
import { useApi } from './support/given.ts'

const given = useApi()

function messages({ status, details: { issues } }: Answer): unknown {
  expect(status).toBe(400)
  return Array.isArray(issues) ? issues.map(({ path, message }) => `${path}: ${message}`) : []
}

it('a refusal of an unknown query parameter lists the known ones, and suggests one', async () => {
  const { client } = await given.shared()
  expect(messages(await client.get('/contacts?Limit=1&serch=a&zzz=1'))).toEqual([
    expect.stringMatching(
      /^query:Limit: Unknown query parameter: did you mean limit\? There are: .*\bcursor, limit\b/u,
    ),
    expect.stringMatching(/^query:serch: Unknown query parameter: did you mean search\? There are: /u),
    expect.stringMatching(/^query:zzz: Unknown query parameter\. There are: /u),
  ])
  const { id } = (await client.post('/companies', { name: 'Northwind Traders' })).data
  expect(messages(await client.get(`/companies/${id}?limit=1`))).toEqual([
    'query:limit: Unknown query parameter: there are none here',
  ])
})

it('a refusal of an unknown member suggests a known one, on every level, in a batch and by reference too', async () => {
  const { client } = await given.shared()
  const contactData = { email: [], phones: [{ Value: '1', value: '1' }] }
  const wrong = { firstname: 'Anna', last_name: 'Petrova', surname: 'Petrova', contactData }
  expect(messages(await client.post('/contacts', wrong))).toEqual(
    expect.arrayContaining([
      '/firstname: Unknown or read-only: did you mean firstName?',
      '/last_name: Unknown or read-only: did you mean lastName?',
      '/surname: Unknown or read-only',
      '/contactData/email: Unknown or read-only: did you mean emails?',
      '/contactData/phones/0/Value: Unknown or read-only: did you mean value?',
    ]),
  )
  const task = { title: 'Call', contact: { externalID: 'a' } }
  expect(messages(await client.post('/tasks', task))).toEqual([
    '/contact/externalID: Unknown or read-only: did you mean externalId?',
  ])
  const batch = await client.post('/contacts/batch/upsert', { item: [] })
  expect(messages(batch)).toContain('/item: Unknown or read-only: did you mean items?')
  const form = aForm([{ name: 'entitytype', content: 'contacts' }])
  expect(messages(await client.post('/imports', undefined, form))).toContain(
    '/entitytype: Unknown field: did you mean entityType? There are: file, entityType',
  )
})

it('a refusal of a date or time shows its form', async () => {
  const { client } = await given.shared()
  const contact = { lastName: 'A', contactData: { birthDate: '24.12.1971' } }
  expect(messages(await client.post('/contacts', contact))).toEqual([
    '/contactData/birthDate: Write a date that exists as YYYY-MM-DD, such as 2026-03-31',
  ])
  expect(messages(await client.post('/tasks', { title: 'Call', startAt: 'tomorrow' }))).toEqual([
    expect.stringMatching(/^\/startAt: Write .*2026-03-31T09:30:00Z/u),
  ])
})

it('a refusal of malformed JSON names the character, and quotes nothing of the body', async () => {
  const { client } = await given.shared()
  const broken = '{\n  "lastName": "sk_live_secret",\n}'
  const answer = await client.post('/contacts', undefined, {
    raw: broken,
    headers: { 'content-type': 'application/json' },
  })
  expect(messages(answer)).toEqual([': The body is not valid JSON at character 35 (line 3, column 1)'])
  expect(answer.error.message).toBe('The body is not valid JSON at character 35 (line 3, column 1)')
})
