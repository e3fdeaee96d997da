import { describe, expect, it } from 'vitest'
import { allBut } from '../conformance/support/given.ts'
import { aContact } from '../support/builders.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()

describe('a request, by its id', () => {
  it('shows its answer, what it has changed, and what the feed tells of it', async () => {
    const organization = await given.organization()
    const id = '7d1f2a30-0c1b-4a52-9f4e-6a1c2b3d4e5f'
    const { data } = await organization.client.post('/contacts', aContact(), { headers: { 'x-request-id': id } })
    const shown = await readIn(organization, `/requests/${id}`)
    expect(shown.data).toMatchObject({
      id,
      answers: [
        {
          operation: 'contacts.create',
          status: 201,
          applicationName: 'Integration',
          clientRequestId: null,
          isErased: false,
        },
      ],
      entries: [{ action: 'contact.created', resourceId: data.id, versionAfter: 1, requestId: id }],
      changes: [{ seq: 1, kind: 'contact.created', resourceType: 'contact', resourceId: data.id, version: 1 }],
    })
    expect((await readIn(await given.organization(), `/requests/${id}`)).error.code).toBe('not_found')
  })

  it('shows nothing that the caller may not read', async () => {
    const organization = await given.organization()
    const id = '7d1f2a30-0c1b-4a52-9f4e-6a1c2b3d4e60'
    await organization.client.post('/contacts', aContact(), { headers: { 'x-request-id': id } })
    const less = await organization.token(allBut('crm_contact_data_read', 'crm_operators_read'))
    const { body, meta } = await readIn(organization, `/requests/${id}`, less)
    expect(JSON.stringify(body)).not.toMatch(/anna@example|555 ?0143/u)
    expect(meta.redacted).toEqual(['contact_data', 'operators'])
    const other = await organization.token(['crm_audit_read', 'crm_deals_read'])
    expect((await readIn(organization, `/requests/${id}`, other)).data).toMatchObject({ entries: [], changes: [] })
    const none = await organization.token(['crm_contacts_read'])
    expect((await readIn(organization, `/requests/${id}`, none)).error.code).toBe('insufficient_scope')
  })
})
