import { describe, expect, it } from 'vitest'
import { mover } from './support/deals.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()

describe('a refusal for stored or configured values names every fault:', () => {
  it('each field with a value that it cannot have, those that are missing, and records named twice', async () => {
    const organization = await given.shared()
    const externalId = 'every-issue'
    const { id } = await aRecord('company', organization, { externalId })
    const answer = await organization.client.post('/deals/upsert', {
      externalId,
      ownerUuid: unknownId,
      customFields: { nothing: 'x' },
      companies: [{ id }, { externalId }],
    })
    expect(outcome(answer)).toBe('422 validation_error')
    expect(issuePaths(answer).toSorted()).toEqual(['/companies/1', '/customFields/nothing', '/ownerUuid', '/title'])
    expect(answer.error.details).toMatchObject({ issueCount: 4 })
  })

  it('then each rule that compares fields', async () => {
    const organization = await given.shared()
    const body = { ...(await aBody('deal', organization)), stageUuid: unknownId, currency: 'AED', companies: [] }
    const answer = await organization.client.post('/deals', { ...body, contacts: [] })
    expect(outcome(answer)).toBe('422 validation_error')
    expect(issuePaths(answer)).toEqual(['/stageUuid', '/currency', '/companies'])
    expect(answer.error.details).toMatchObject({ issueCount: 3, reason: 'deal_party_required' })
  })

  it('both members that only a lost deal may have', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const lost = { lostReasonCategoryUuid: unknownId, lostReasonComment: 'Too dear' }
    const answer = await mover(organization)(id, 1, { stageUuid: organization.stages.second, ...lost })
    expect(issuePaths(answer)).toEqual(['/lostReasonCategoryUuid', '/lostReasonComment'])
  })

  it('all members that an activity of its type may not have', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const body = { type: 'note', subject: 'x', direction: 'inbound', durationSeconds: 1 }
    const answer = await organization.client.post(`/deals/${id}/activities`, body)
    expect(issuePaths(answer)).toEqual(['/direction', '/durationSeconds'])
  })
})
