import { describe, expect, it } from 'vitest'
import { aDealIn, anotherPipeline, dealEvents, mover } from './support/deals.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()

const spans = (id: unknown) =>
  given.sql('select number, stage_uuid, entered_at, left_at from deal_stage_spans where deal_id = $1 order by number', [
    id,
  ])

describe('the time spent in stages', () => {
  it('is kept as spans: each begins where the one before ends, and the last is open', async () => {
    given.clock.set('2026-03-04T08:00:00.000Z')
    const organization = await given.shared()
    const { stages } = organization
    const { id } = await aDealIn('first', organization)
    const move = mover(organization)
    given.clock.set('2026-03-04T09:00:00.000Z')
    await move(id, 1, { stageUuid: stages.second })
    given.clock.set('2026-03-04T09:30:00.000Z')
    await move(id, 2, { stageUuid: stages.second })
    await organization.client.patch(`/deals/${id}`, { expectedVersion: 2, title: 'Other' })
    given.clock.set('2026-03-04T10:00:00.000Z')
    await move(id, 3, { stageUuid: stages.first })
    expect(await spans(id)).toEqual([
      {
        number: 1,
        stage_uuid: stages.first,
        entered_at: '2026-03-04T08:00:00.000Z',
        left_at: '2026-03-04T09:00:00.000Z',
      },
      {
        number: 2,
        stage_uuid: stages.second,
        entered_at: '2026-03-04T09:00:00.000Z',
        left_at: '2026-03-04T10:00:00.000Z',
      },
      { number: 3, stage_uuid: stages.first, entered_at: '2026-03-04T10:00:00.000Z', left_at: null },
    ])
  })
})

describe('the stage of a new deal', () => {
  it('is that of the request, or the first of the pipeline of the request', async () => {
    const organization = await given.organization()
    const { pipelineId, open } = await anotherPipeline(given, organization)
    expect(await aDealIn('second', organization)).toMatchObject({ stageUuid: organization.stages.second })
    expect(await aRecord('deal', organization, { pipelineId })).toMatchObject({ pipelineId, stageUuid: open })
    const both = { pipelineId: pipelineId.toUpperCase(), stageUuid: open.toUpperCase() }
    expect(await aRecord('deal', organization, both)).toMatchObject({ pipelineId, stageUuid: open })
  })

  it('is refused when it is unknown, archived or of another pipeline: 422', async () => {
    const organization = await given.organization()
    const { pipelineId, open } = await anotherPipeline(given, organization)
    const wrong = [
      [{ pipelineId, stageUuid: organization.stages.first }, '/pipelineId'],
      [{ stageUuid: unknownId }, '/stageUuid'],
      [{ pipelineId: unknownId }, '/pipelineId'],
      [{ stageUuid: open }, '/stageUuid'],
    ] as const
    await given.configure(organization, 'update stages set archived = true where id = $1', [open])
    for (const [members, path] of wrong) {
      const answer = await organization.client.post('/deals', await aBody('deal', organization, members))
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [path]])
    }
  })

  it('may be a closed one: won closes it, lost needs the reason', async () => {
    const organization = await given.shared()
    const won = await aDealIn('won', organization)
    expect(won).toMatchObject({ status: 'won', closedAt: won.createdAt })
    expect((await dealEvents(given, won.id)).map(({ kind }) => kind)).toEqual(['deal.created', 'deal.won'])
    const lost = await aDealIn('lost', organization)
    expect(lost).toMatchObject({ status: 'lost', lostReasonCategoryUuid: organization.lostReason })
    const wrong = [
      { stageUuid: organization.stages.lost },
      { stageUuid: organization.stages.first, lostReasonCategoryUuid: organization.lostReason },
      { lostReasonCategoryUuid: organization.lostReason },
    ]
    for (const members of wrong) {
      const answer = await organization.client.post('/deals', await aBody('deal', organization, members))
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/lostReasonCategoryUuid']])
    }
  })

  it.each(['stageUuid', 'pipelineId', 'lostReasonCategoryUuid'] as const)(
    '%s does not change by PATCH: 400 with a hint to /move, even to its own value',
    async name => {
      const organization = await given.shared()
      const deal = await aDealIn('lost', organization)
      const answer = await organization.client.patch(`/deals/${deal.id}`, { expectedVersion: 1, [name]: deal[name] })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${name}`]])
      expect(JSON.stringify(answer.details)).toContain('/move')
    },
  )

  it('may be sent again by upsert with its own value, and is refused with a hint otherwise: 422', async () => {
    const organization = await given.shared()
    const { client, stages, lostReason, pipelineId } = organization
    const { externalId } = await aDealIn('lost', organization)
    const same = { stageUuid: stages.lost.toUpperCase(), pipelineId, lostReasonCategoryUuid: lostReason }
    const body = { externalId, expectedVersion: 1, title: 'Same stage', ...same }
    expect((await client.post('/deals/upsert', body)).data).toMatchObject({ version: 2, title: 'Same stage' })
    for (const other of [
      { stageUuid: stages.first },
      { pipelineId: unknownId },
      { lostReasonCategoryUuid: null },
      { lostReasonCategoryUuid: unknownId },
    ]) {
      const answer = await client.post('/deals/upsert', { externalId, expectedVersion: 2, ...other })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [`/${Object.keys(other)[0]}`]])
      expect(JSON.stringify(answer.details)).toContain('/move')
    }
  })
})

describe('lostReasonComment', () => {
  it('changes by PATCH while the deal is lost', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('lost', organization)
    const patch = (expectedVersion: number, lostReasonComment: unknown) =>
      organization.client.patch(`/deals/${id}`, { expectedVersion, lostReasonComment })
    expect((await patch(1, '𝒳'.repeat(2000))).data.lostReasonComment).toBe('𝒳'.repeat(2000))
    expect(outcome(await patch(2, '𝒳'.repeat(2001)))).toBe('400 validation_error')
    expect((await patch(2, null)).data).toMatchObject({ lostReasonComment: null, version: 3 })
  })

  it.each(['first', 'won'] as const)(
    'is refused while the deal is in the %s stage: 422; null is a no-op',
    async stage => {
      const organization = await given.shared()
      const { id } = await aDealIn(stage, organization)
      const patch = (lostReasonComment: unknown) =>
        organization.client.patch(`/deals/${id}`, { expectedVersion: 1, lostReasonComment })
      const answer = await patch('Too dear')
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/lostReasonComment']])
      expect((await patch(null)).data.version).toBe(1)
    },
  )

  it('is not taken on create: 400', async () => {
    const organization = await given.shared()
    const body = await aBody('deal', organization, { lostReasonComment: 'Too dear' })
    const answer = await organization.client.post('/deals', body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/lostReasonComment']])
  })
})

describe('the events of a deal', () => {
  it('have kinds of their own for fields, owner and parties', async () => {
    const organization = await given.shared()
    const { client, operator } = organization
    const company = await aRecord('company', organization)
    const contact = await aRecord('contact', organization)
    const deal = await aRecord('deal', organization, { companies: [{ id: company.id }] })
    await client.patch(`/deals/${deal.id}`, {
      expectedVersion: 1,
      title: 'Four hundred chairs',
      ownerUuid: operator,
      companies: [],
      contacts: [{ id: contact.id }],
    })
    const [created, ...later] = await dealEvents(given, deal.id)
    expect(created).toMatchObject({
      kind: 'deal.created',
      data: {
        title: deal.title,
        stageUuid: organization.stages.first,
        companyIds: [company.id],
        contactIds: [],
      },
    })
    const byKind = new Map(later.map(({ kind, data }) => [kind, data]))
    expect(byKind).toEqual(
      new Map<unknown, unknown>([
        [
          'deal.updated',
          {
            changedFields: ['title'],
            before: { title: deal.title },
            after: { title: 'Four hundred chairs' },
          },
        ],
        ['deal.owner_changed', { fromOwnerUuid: null, toOwnerUuid: operator }],
        ['deal.companies_changed', { added: [], removed: [company.id], primary: null }],
        ['deal.contacts_changed', { added: [contact.id], removed: [], primary: contact.id }],
      ]),
    )
  })

  it('cover every step of the version', async () => {
    const organization = await given.organization()
    const { reason } = await anotherPipeline(given, organization)
    await given.configure(organization, 'update lost_reason_categories set pipeline_id = null where id = $1', [reason])
    const { client, stages, operator } = organization
    const { id } = await aDealIn('lost', organization)
    await aDealIn('lost', organization)
    const company = await aRecord('company', organization)
    const contact = await aRecord('contact', organization)
    const patches = [
      ...[{ title: 'Other' }, { description: 'Other' }, { amount: '7' }, { currency: 'EUR' }, { priority: 'low' }],
      ...[{ ownerUuid: operator }, { expectedCloseDate: '2026-05-01' }, { externalId: 'other' }],
      ...[{ lostReasonComment: 'Too dear' }, { contacts: [{ id: contact.id }] }, { companies: [{ id: company.id }] }],
    ]
    const moves = [
      ...[
        { stageUuid: stages.lost, lostReasonCategoryUuid: reason },
        { stageUuid: stages.lost, position: 0 },
      ],
      ...[{ stageUuid: stages.won }, { stageUuid: stages.first }],
    ]
    let version = 1
    for (const [path, members] of [
      ...patches.map(patch => [`/deals/${id}`, patch] as const),
      ...moves.map(move => [`/deals/${id}/move`, move] as const),
    ]) {
      const { data } = await client.patch(path, { expectedVersion: version, ...members })
      version += 1
      expect([members, data.version]).toEqual([members, version])
      const told = (await dealEvents(given, id)).filter(event => Number(event.deal_version) === version)
      expect([members, told.length > 0]).toEqual([members, true])
    }
  })

  it('are absent for a no-op and for a refusal', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    await organization.client.patch(`/deals/${id}`, { expectedVersion: 1 })
    await organization.client.patch(`/deals/${id}`, { expectedVersion: 1, ownerUuid: unknownId })
    expect(await dealEvents(given, id)).toHaveLength(1)
  })

  it('outlive the deal', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    await organization.client.delete(`/deals/${id}?expectedVersion=1`)
    expect((await dealEvents(given, id)).map(({ kind }) => kind)).toContain('deal.created')
  })
})
