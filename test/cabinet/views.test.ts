import { describe, expect, it } from 'vitest'
import { viewBounds } from '../../server/src/cabinet/views/view-bounds.ts'
import { type Scope, scopes } from '../../server/src/kernel/index.ts'
import { allBut } from '../conformance/support/given.ts'
import { aContact } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()

const aView = (members: object = {}) => ({
  kind: 'deals',
  name: 'Open deals',
  definition: { filters: { status: ['open'], priority: 'high' }, sort: '-amount', columns: ['title', 'amount'] },
  ...members,
})

const at = ({ id }: TestOrganization, rest = '') => `/cabinet/api/o/${id}/views${rest}`

/** A second user of the organization, with other rights. */
async function another(organization: TestOrganization, granted: readonly Scope[] = scopes): Promise<Client> {
  return organization.token(granted, (await organization.application()).id)
}

const namesFor = async (organization: TestOrganization, by?: Client, query = '') =>
  (await readIn(organization, `/views${query}`, by)).items.map(({ name, mine }) => [name, mine])

describe('a view', () => {
  it('is kept under a name, changed by its version, and removed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const made = await client.post(at(organization), aView())
    expect([made.status, made.data]).toEqual([
      201,
      {
        ...aView(),
        id: made.data.id,
        version: 1,
        shared: false,
        mine: true,
        createdAt: made.data.createdAt,
        updatedAt: made.data.updatedAt,
      },
    ])
    const path = at(organization, `/${String(made.data.id)}`)
    const renamed = await client.patch(path, { expectedVersion: 1, name: 'Mine ' })
    expect(renamed.data).toMatchObject({ name: 'Mine', version: 2, definition: aView().definition })
    expect((await client.patch(path, { expectedVersion: 2, name: 'Mine' })).data.version).toBe(2)
    const late = await client.patch(path, { expectedVersion: 1, name: 'Theirs' })
    expect([late.status, late.error.code, late.details.currentVersion]).toEqual([409, 'version_conflict', 2])
    await client.post(at(organization), aView({ kind: 'tasks', name: 'a task', definition: { filters: {} } }))
    expect(await namesFor(organization)).toEqual([
      ['a task', true],
      ['Mine', true],
    ])
    expect(await namesFor(organization, client, '?kind=deals')).toEqual([['Mine', true]])
    expect((await client.delete(`${path}?expectedVersion=1`)).status).toBe(409)
    expect((await client.delete(`${path}?expectedVersion=2`)).data).toEqual({ ok: true })
    expect((await client.delete(`${path}?expectedVersion=2`)).status).toBe(404)
    const key = 'once'
    const twice = [
      await client.post(at(organization), aView(), { key }),
      await client.post(at(organization), aView(), { key }),
    ]
    expect(twice[1]?.data).toEqual(twice[0]?.data)
    expect((await namesFor(organization)).length).toBe(2)
  })

  it('is seen by others if it is shared, and changed by its owner alone', async () => {
    const organization = await given.organization()
    const { client } = organization
    const other = await another(organization)
    const own = await client.post(at(organization), aView({ name: 'own' }))
    const shared = await client.post(at(organization), aView({ name: 'shared', shared: true }))
    expect(await namesFor(organization, other)).toEqual([['shared', false]])
    const change = (id: unknown, by: Client) =>
      by.patch(at(organization, `/${String(id)}`), { expectedVersion: 1, name: 'changed' })
    expect((await change(own.data.id, other)).status).toBe(404)
    const refused = await change(shared.data.id, other)
    expect([refused.status, refused.details.missingScopes]).toEqual([403, ['settings_manage']])
    const foreign = await given.organization()
    expect((await change(shared.data.id, foreign.client)).status).toBe(404)
    expect(await namesFor(foreign)).toEqual([])
    const reader = await another(organization, allBut('crm_deals_write'))
    expect((await reader.post(at(organization), aView({ shared: true }))).error.code).toBe('insufficient_scope')
    expect((await reader.post(at(organization), aView())).status).toBe(201)
  })

  it('whose filters or order use a hidden value is neither made nor seen without the right to it', async () => {
    const organization = await given.organization()
    const { client } = organization
    const byMail = {
      kind: 'contacts',
      name: 'Anna',
      shared: true,
      definition: { filters: { email: 'anna@example.com' } },
    }
    const byAmount = aView({ shared: true, name: 'by amount' })
    for (const view of [byMail, byAmount]) expect((await client.post(at(organization), view)).status).toBe(201)
    const less = await another(organization, allBut('crm_contact_data_read', 'crm_amounts_read'))
    expect(await namesFor(organization, less)).toEqual([])
    for (const view of [byMail, byAmount])
      expect((await less.post(at(organization), { ...view, shared: false })).error.code).toBe('insufficient_scope')
    expect(await namesFor(organization, await another(organization, allBut('crm_deals_read')))).toEqual([
      ['Anna', false],
    ])
  })

  it('is refused with what the list would refuse', async () => {
    const organization = await given.organization()
    const issuesOf = async (definition: object) => {
      const { status, details } = await organization.client.post(at(organization), aView({ definition }))
      return [status, ...(Array.isArray(details.issues) ? details.issues.map(({ path }) => path) : [])]
    }
    expect(await issuesOf({ filters: { status: 'sold', color: 'red' } })).toEqual([
      400,
      '/definition/filters/status',
      '/definition/filters/color',
    ])
    expect(await issuesOf({ filters: {}, sort: 'color' })).toEqual([400, '/definition/sort'])
    expect(await issuesOf({ filters: {}, columns: [1] })).toEqual([400, '/definition/columns/0'])
    setBound(viewBounds.viewBytes, 100)
    expect(await issuesOf({ filters: {}, columns: ['x'.repeat(90)] })).toEqual([400, '/definition'])
  })

  it('has a bounded number of siblings; private ones of former users make room', async () => {
    setBound(viewBounds.organizationViews, 2)
    const organization = await given.organization()
    const { client, id, inactiveOperator, operator } = organization
    for (const name of ['one', 'two']) expect((await client.post(at(organization), aView({ name }))).status).toBe(201)
    await given.sql(`update views set owner = $2 where organization_id = $1`, [id, operator])
    expect((await client.post(at(organization), aView({ name: 'three' }))).status).toBe(422)
    await given.sql(`update views set owner = $2 where organization_id = $1 and name = 'one'`, [id, inactiveOperator])
    expect((await client.post(at(organization), aView({ name: 'three' }))).status).toBe(201)
    const kept = await given.sql('select name from views where organization_id = $1 order by name', [id])
    expect(kept.map(({ name }) => name)).toEqual(['three', 'two'])
  })

  it('forgets a person who is erased', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { data } = await client.post('/contacts', aContact({ lastName: 'Zinnober' }))
    const definition = { filters: { email: ['anna@example.com'] }, sort: 'createdAt', columns: ['name'] }
    await client.post(at(organization), { kind: 'contacts', name: 'Calls of Anna Zinnober', definition })
    await client.post(at(organization), aView({ name: 'others' }))
    const erased = await client.post(`/contacts/${String(data.id)}/delete/commit`, {
      mode: 'anonymize',
      expectedVersion: 1,
    })
    expect(erased.status).toBe(200)
    const views = await readIn(organization, '/views?kind=contacts')
    expect(views.items).toMatchObject([{ name: 'View', version: 2, definition: { ...definition, filters: {} } }])
    expect(await namesFor(organization, client, '?kind=deals')).toEqual([['others', true]])
  })
})
