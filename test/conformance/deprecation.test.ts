import { describe, expect, it } from 'vitest'
import { defineOperation, givesNotice } from '../../server/src/kernel/index.ts'
import { openApiDocument } from '../../server/src/kernel/openapi/index.ts'
import { operations } from '../../server/src/modules.ts'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'

const retired = defineOperation({
  id: 'test.retired',
  method: 'GET',
  path: '/api/v1/crm/old-contacts',
  summary: 'An operation of the test that goes',
  deprecation: { since: '2027-01-31', sunset: '2027-07-31', successor: '/api/v1/crm/contacts' },
  scopes: ['crm_contacts_read'],
  answer: { data: { type: 'array', items: { title: 'OldContact', type: 'object' } } },
  execute: async () => ({ status: 200, data: [], meta: {} }),
})

const given = useApi({ operations: [retired] })
const names = ['deprecation', 'sunset', 'link']

describe('a deprecated route', () => {
  it('says since when, until when, and what takes its place, in every answer', async () => {
    const { client, token } = await given.organization()
    const answers = [
      await client.get('/old-contacts'),
      await client.get('/old-contacts?colour=red'),
      await (await token([])).get('/old-contacts'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 403])
    for (const { headers } of answers) {
      expect(names.map(name => headers.get(name))).toEqual([
        `@${Date.parse('2027-01-31T00:00:00Z') / 1000}`,
        'Sat, 31 Jul 2027 00:00:00 GMT',
        '</api/v1/crm/contacts>; rel="successor-version"',
      ])
    }
  })

  it('is marked in the OpenAPI document, with its headers', () => {
    const document = openApiDocument({ operations: [retired], resources: [], messages: [], version: '1' })
    const described = objectOf(objectOf(objectOf(document.paths)['/api/v1/crm/old-contacts']).get)
    expect(described).toMatchObject({
      deprecated: true,
      description: expect.stringContaining('gone on 2027-07-31: use `/api/v1/crm/contacts`'),
    })
    const { headers } = objectOf(objectOf(described.responses)['200'])
    expect(Object.keys(objectOf(headers))).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']))
  })
})

describe('the notice of a deprecation', () => {
  const notice = (since: string, sunset: string) => givesNotice({ since, sunset, successor: '/' })

  it('is six months or more', () => {
    expect([notice('2027-01-31', '2027-07-31'), notice('2027-01-31', '2027-07-30')]).toEqual([true, false])
    expect([notice('2026-08-31', '2027-03-03'), notice('2027-07-31', '2027-01-31')]).toEqual([true, false])
    expect(notice('soon', 'later')).toBe(false)
  })

  it('is given for every deprecated route of the product, and its successor is served', () => {
    const paths = new Set(operations.map(({ path }) => path))
    const leaving = operations.flatMap(({ id, deprecation }) =>
      deprecation === undefined ? [] : [{ id, ...deprecation }],
    )
    expect(leaving.filter(each => !givesNotice(each) || !paths.has(each.successor))).toEqual([])
  })
})
