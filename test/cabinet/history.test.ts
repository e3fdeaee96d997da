import { describe, expect, it } from 'vitest'
import { allBut } from '../conformance/support/given.ts'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()

describe('the history of a record', () => {
  it('tells who changed it and by what, the newest first, in pages', async () => {
    const organization = await given.organization()
    const { client, applicationId } = organization
    const { data } = await client.post('/contacts', aContact())
    const path = `/contacts/${String(data.id)}`
    for (const version of [1, 2, 3])
      await client.patch(path, { expectedVersion: version, jobTitle: `Title ${version}` })
    await client.post('/contacts', aContact())
    const first = await readIn(organization, `/history${path}?limit=3`)
    expect(first.items.map(({ versionAfter, action }) => [versionAfter, action])).toEqual([
      [4, 'contact.updated'],
      [3, 'contact.updated'],
      [2, 'contact.updated'],
    ])
    expect(first.items[0]).toMatchObject({
      applicationId,
      applicationName: 'Integration',
      actorType: 'application',
      actorName: null,
      jobType: null,
      jobName: null,
      changes: [{ field: 'jobTitle', before: 'Title 2', after: 'Title 3' }],
    })
    const rest = await readIn(organization, `/history${path}?limit=3&cursor=${String(first.meta.nextCursor)}`)
    expect([rest.items.length, rest.items[0]?.action, rest.meta.nextCursor]).toEqual([1, 'contact.created', null])
    const of = (id: unknown) =>
      readIn(organization, `/history/contacts/${String(id)}?cursor=${String(first.meta.nextCursor)}`)
    expect((await of('00000000-0000-4000-8000-000000000000')).error.code).toBe('invalid_cursor')
  })

  it('names operators, imports and bulk jobs to those who may read them', async () => {
    const organization = await given.organization()
    const { id, client, operator } = organization
    const { data } = await client.post('/companies', aCompany())
    const jobId = '01890000-0000-7000-8000-000000000001'
    await given.sql(
      `update audit_entries set actor_type = 'user', actor_uuid = $2, job_id = $3 where organization_id = $1`,
      [id, operator, jobId],
    )
    await given.sql(
      `insert into imports (organization_id, id, entity_type, status, file_name, size_bytes, sha256, counters, errors, author_type, created_at)
       values ($1, $2, 'companies', 'completed', 'firms.csv', 1, '', '{}', '[]', 'user', now())`,
      [id, jobId],
    )
    const path = `/history/companies/${String(data.id)}`
    expect((await readIn(organization, path)).items).toMatchObject([
      { actorUserUuid: operator, actorName: 'Olga', jobType: 'import', jobName: 'firms.csv' },
    ])
    const less = await organization.token(allBut('crm_operators_read', 'crm_import_manage'))
    const { items, meta } = await readIn(organization, path, less)
    expect([items[0]?.actorName, items[0]?.jobName, meta.redacted]).toEqual([null, null, ['operators']])
    expect(JSON.stringify(items)).not.toContain(operator)
  })

  it('shows no value that its reader may not read', async () => {
    const organization = await given.organization()
    const { client } = organization
    const company = await client.post('/companies', aCompany())
    const { data } = await client.post('/deals', aDeal({ companies: [{ id: company.data.id }], amount: '98765.43' }))
    const contact = await client.post('/contacts', aContact())
    const less = await organization.token(allBut('crm_amounts_read', 'crm_contact_data_read'))
    const deal = await readIn(organization, `/history/deals/${String(data.id)}`, less)
    const person = await readIn(organization, `/history/contacts/${String(contact.data.id)}`, less)
    expect([deal.items.length, person.items.length]).toEqual([1, 1])
    expect(JSON.stringify([deal.body, person.body])).not.toMatch(/98765|anna@example|555 ?0143/u)
    const all = await readIn(organization, `/history/deals/${String(data.id)}`)
    expect(JSON.stringify(all.body)).toContain('98765.43')
    const blind = await organization.token(['crm_contacts_read'])
    expect((await readIn(organization, `/history/deals/${String(data.id)}`, blind)).status).toBe(403)
  })

  it('of a record that was removed goes on, and one of another organization looks missing', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { data } = await client.post('/tasks', { externalId: 'gone', title: 'Call' })
    await client.delete(`/tasks/${String(data.id)}`, { expectedVersion: 1 })
    const path = `/history/tasks/${String(data.id)}`
    expect((await readIn(organization, path)).items.map(({ action }) => action)).toEqual([
      'task.deleted',
      'task.created',
    ])
    const other = await given.organization()
    expect((await readIn(other, path)).error.code).toBe('not_found')
    expect((await readIn(organization, path.replace('tasks', 'deals'))).error.code).toBe('not_found')
  })

  it('of a record whose entries are kept no more is empty', async () => {
    const organization = await given.organization()
    const { data } = await organization.client.post('/contacts', aContact())
    await given.sql('delete from audit_entries where organization_id = $1', [organization.id])
    const { status, items } = await readIn(organization, `/history/contacts/${String(data.id)}`)
    expect([status, items]).toEqual([200, []])
  })
})
