import { beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import type { Answer } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { defineCustomFields } from './support/list-world.ts'
import { aRecord, issuePaths, issueRules, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()
let organization: TestOrganization
beforeAll(async () => {
  organization = await given.shared()
  await defineCustomFields(given, organization)
})

const id = newId()

/** What needs more than the read scope of the kind, and what that is. */
const protectedBy: Readonly<Record<Kind, readonly (readonly [query: string, scope: Scope])[]>> = {
  contact: [
    [`tagIds=${id}`, 'crm_tags_read'],
    [`companyId=${id}`, 'crm_companies_read'],
    ['email=anna@example.com', 'crm_contact_data_read'],
    ['phone=2025550143', 'crm_contact_data_read'],
    ['customField.region=north', 'crm_custom_fields_read'],
  ],
  company: [
    [`tagIds=${id}`, 'crm_tags_read'],
    [`contactId=${id}`, 'crm_contacts_read'],
    ['customField.region=north', 'crm_custom_fields_read'],
  ],
  deal: [
    [`tagIds=${id}`, 'crm_tags_read'],
    [`companyId=${id}`, 'crm_companies_read'],
    [`contactId=${id}`, 'crm_contacts_read'],
    ['customField.region=north', 'crm_custom_fields_read'],
    ['sort=amount', 'crm_amounts_read'],
    ['sort=-amount', 'crm_amounts_read'],
  ],
  task: [
    [`tagIds=${id}`, 'crm_tags_read'],
    [`dealId=${id}`, 'crm_deals_read'],
    [`contactId=${id}`, 'crm_contacts_read'],
    [`companyId=${id}`, 'crm_companies_read'],
    ['customField.region=north', 'crm_custom_fields_read'],
  ],
}
const times =
  'createdFrom=2026-01-01T00:00:00Z&createdTo=2026-01-01T00:00:00Z&updatedFrom=2026-01-01T00:00:00Z&updatedTo=2026-01-01T00:00:00Z'
/** What the read scope of the kind is enough for. */
const open: Readonly<Record<Kind, string>> = {
  contact: `ownerUuid=${id}&${times}&sort=name`,
  company: `ownerUuid=${id}&${times}&sort=-name`,
  deal: `ownerUuid=${id}&pipelineId=${id}&stageUuid=${id}&status=won&priority=low&expectedCloseFrom=2026-01-01&${times}&sort=title`,
  task: `assigneeUuid=${id}&status=done&priority=low&dueTo=2026-01-01&${times}&sort=dueDate`,
}

/** Texts that a parameter does not take, and the rule that refuses them. */
const common = [
  ['tagIds=1', 'tagIds'],
  ['createdFrom=2026-01-01', 'createdFrom'],
  ['createdTo=yesterday', 'createdTo'],
  ['updatedFrom=2026-02-30T00:00:00Z', 'updatedFrom'],
  ['updatedTo=', 'updatedTo'],
  ['sort=id', 'sort'],
  ['sort=--createdAt', 'sort'],
  ['customField.region=', 'customField.region'],
] as const
const wrong: Readonly<Record<Kind, readonly (readonly [query: string, parameter: string])[]>> = {
  contact: [
    ['companyId=x', 'companyId'],
    ['email=anna', 'email'],
    ['email=anna@example.com&email=', 'email'],
    ['phone=12', 'phone'],
    ['ownerUuid=me', 'ownerUuid'],
  ],
  company: [['contactId=x', 'contactId']],
  deal: [
    ['status=Open', 'status'],
    ['priority=none', 'priority'],
    ['pipelineId=1', 'pipelineId'],
    ['stageUuid=1', 'stageUuid'],
    ['expectedCloseFrom=2026-03-31T00:00:00Z', 'expectedCloseFrom'],
    ['expectedCloseTo=2026-13-01', 'expectedCloseTo'],
  ],
  task: [
    ['dealId=x', 'dealId'],
    ['assigneeUuid=x', 'assigneeUuid'],
    ['dueFrom=2026-02-30', 'dueFrom'],
    ['dueTo=noon', 'dueTo'],
    ['status=', 'status'],
  ],
}

describe.each(kinds)('the list of %ss', kind => {
  const path = `/${plurals[kind]}`
  const readScope: Scope = `crm_${plurals[kind]}_read`
  const get = (query: string): Promise<Answer> => organization.client.get(`${path}?${query}`)

  it.each(protectedBy[kind])('tells nothing by %s without %s', async (query, scope) => {
    const client = await organization.token(allBut(scope))
    const answer = await client.get(`${path}?${query}`)
    expect(outcome(answer)).toBe('403 insufficient_scope')
    expect(answer.details).toEqual({ requiredScopes: [readScope, scope], missingScopes: [scope] })
    expect(outcome(await (await organization.token([readScope, scope])).get(`${path}?${query}`))).toBe('200')
  })

  it('takes every other filter and order with the read scope alone', async () => {
    const client = await organization.token([readScope])
    expect(outcome(await client.get(`${path}?${open[kind]}`))).toBe('200')
  })

  it.each([...common, ...wrong[kind]])('refuses %s', async (query, parameter) => {
    const answer = await get(query)
    expect(outcome(answer)).toBe('400 validation_error')
    expect([issuePaths(answer), issueRules(answer)]).toEqual([[`query:${parameter}`], ['format']])
  })

  it('refuses a second value of a parameter that takes one', async () => {
    const answer = await get(
      'createdFrom=2026-01-01T00:00:00Z&createdFrom=2026-01-01T00:00:00Z&sort=createdAt&sort=-createdAt',
    )
    expect(issuePaths(answer)).toEqual(['query:createdFrom', 'query:sort'])
    expect(issueRules(answer)).toEqual(['single', 'single'])
  })

  it('takes 20 values of a filter, and 10 custom fields', async () => {
    const values = (name: string, count: number) => Array.from({ length: count }, () => `${name}=${newId()}`).join('&')
    expect(outcome(await get(values('tagIds', 20)))).toBe('200')
    const tooMany = await get(values('tagIds', 21))
    expect([issuePaths(tooMany), issueRules(tooMany)]).toEqual([['query:tagIds'], ['most']])
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `customField.f${index}=1`).join('&')
    expect(issueRules(await get(fields(10)))).toEqual(Array(10).fill('custom_field'))
    const manyFields = await get(fields(11))
    expect([issuePaths(manyFields), issueRules(manyFields)]).toEqual([['query:customField.f10'], ['most']])
  })

  it('refuses an unknown custom field, and a value that its type does not have', async () => {
    const answer = await get(
      'customField.regoin=north&customField.size=big&customField.vip=yes&customField.boss=me&customField.since=now&customField.seen=2026-01-31',
    )
    expect(outcome(answer)).toBe('400 validation_error')
    expect(issuePaths(answer)).toEqual(
      ['regoin', 'size', 'vip', 'boss', 'since', 'seen'].map(key => `query:customField.${key}`),
    )
    expect(issueRules(answer)).toEqual(['custom_field', 'number', 'boolean', 'user', 'date', 'datetime'])
    expect(JSON.stringify(answer.details)).toContain('did you mean region?')
  })

  it('names the known parameters in the refusal of an unknown one', async () => {
    const answer = await get('customField.Region=north')
    expect(issuePaths(answer)).toEqual(['query:customField.Region'])
    expect(answer.error.message).toMatch(
      /There are: cursor, limit, externalId, search, .*tagIds, .*createdFrom, createdTo, updatedFrom, updatedTo, customField\.<key>, sort/u,
    )
  })

  it('takes a cursor for the same filters and order alone', async () => {
    const own = await given.organization()
    for (let count = 0; count < 2; count += 1) await aRecord(kind, own)
    const query = 'sort=updatedAt&createdFrom=2026-01-01T00:00:00Z&limit=1'
    const { meta } = await own.client.get(`${path}?${query}`)
    const follow = (filters: string) => own.client.get(`${path}?${filters}&cursor=${String(meta.nextCursor)}`)
    expect(outcome(await follow(query))).toBe('200')
    for (const other of [
      '',
      query.replace('updatedAt', '-updatedAt'),
      query.replace('2026', '2025'),
      'sort=updatedAt&limit=1',
    ]) {
      expect([other, outcome(await follow(other))]).toEqual([other, '400 invalid_cursor'])
    }
  })
})
