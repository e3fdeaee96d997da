import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aDealIn, anotherPipeline, dealEvents, mover } from './support/deals.ts'
import { factsOf, nothing } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()

describe('a move to an open stage', () => {
  it('takes the deal there, on top, and leaves the reason and closing time of a lost deal behind', async () => {
    given.clock.set('2026-03-03T09:00:00.000Z')
    const organization = await given.organization()
    const { id } = await aDealIn('lost', organization)
    const other = await aDealIn('second', organization)
    given.clock.set('2026-03-03T10:00:00.000Z')
    const { status, data } = await mover(organization)(id, 1, { stageUuid: organization.stages.second })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      version: 2,
      status: 'open',
      stageUuid: organization.stages.second,
      closedAt: null,
      lostReasonCategoryUuid: null,
      lostReasonComment: null,
      stageChangedAt: '2026-03-03T10:00:00.000Z',
    })
    expect(String(data.rank) < String(other.rank)).toBe(true)
    const events = await dealEvents(given, id)
    expect(events.map(({ kind }) => kind)).toEqual(['deal.created', 'deal.lost', 'deal.moved', 'deal.reopened'])
    expect(events.at(-1)?.data).toEqual({
      fromStageUuid: organization.stages.lost,
      toStageUuid: organization.stages.second,
      lostReasonCategoryUuid: null,
    })
  })

  it.each([
    [
      'a reason',
      '/lostReasonCategoryUuid',
      (organization: TestOrganization) => ({ lostReasonCategoryUuid: organization.lostReason }),
    ],
    ['a comment', '/lostReasonComment', () => ({ lostReasonComment: 'too late' })],
  ])('refuses %s: 422 at %s', async (_, path, members) => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    for (const stageUuid of [organization.stages.second, organization.stages.first, organization.stages.won]) {
      const answer = await mover(organization)(id, 1, { stageUuid, ...members(organization) })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [path]])
    }
  })

  it('takes null for no reason and no comment', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const members = { lostReasonCategoryUuid: null, lostReasonComment: null }
    const { status } = await mover(organization)(id, 1, { stageUuid: organization.stages.second, ...members })
    expect(status).toBe(200)
  })
})

describe('a move to a won stage', () => {
  it('closes the deal', async () => {
    given.clock.set('2026-03-03T11:00:00.000Z')
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    given.clock.set('2026-03-03T12:00:00.000Z')
    const { data } = await mover(organization)(id, 1, { stageUuid: organization.stages.won })
    expect(data).toMatchObject({ status: 'won', closedAt: '2026-03-03T12:00:00.000Z', version: 2 })
    const events = await dealEvents(given, id)
    expect(events.map(({ kind }) => kind)).toEqual(['deal.created', 'deal.moved', 'deal.won'])
    const { stages, pipelineId } = organization
    expect(events[1]?.data).toEqual({
      fromStageUuid: stages.first,
      toStageUuid: stages.won,
      fromPipelineId: pipelineId,
      toPipelineId: pipelineId,
    })
    expect(events[2]?.data).toMatchObject({ toStageUuid: stages.won, lostReasonCategoryUuid: null })
    expect(events.map(event => Number(event.deal_version))).toEqual([1, 2, 2])
  })
})

describe('a move to a lost stage', () => {
  it('needs a reason: 422 without it, also with null', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    for (const members of [{}, { lostReasonCategoryUuid: null }]) {
      const answer = await mover(organization)(id, 1, { stageUuid: organization.stages.lost, ...members })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/lostReasonCategoryUuid']])
    }
  })

  it('keeps reason and comment, and closes the deal', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const reason = { lostReasonCategoryUuid: organization.lostReason, lostReasonComment: 'Too dear' }
    const { data } = await mover(organization)(id, 1, { stageUuid: organization.stages.lost, ...reason })
    expect(data).toMatchObject({ status: 'lost', ...reason, closedAt: data.updatedAt })
    const events = await dealEvents(given, id)
    expect(events.at(-1)).toMatchObject({
      kind: 'deal.lost',
      data: { lostReasonCategoryUuid: organization.lostReason },
    })
  })

  it('takes a reason in capitals for the same', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const { lostReason, stages } = organization
    const { data } = await mover(organization)(id, 1, {
      stageUuid: stages.lost.toUpperCase(),
      lostReasonCategoryUuid: lostReason.toUpperCase(),
    })
    expect(data).toMatchObject({ stageUuid: stages.lost, lostReasonCategoryUuid: lostReason })
  })

  it('refuses an unknown or inactive reason, and one of another pipeline: 422', async () => {
    const organization = await given.organization()
    const { reason, inactive } = await anotherPipeline(given, organization)
    const { id } = await aDealIn('first', organization)
    for (const lostReasonCategoryUuid of [unknownId, inactive, reason]) {
      const body = { stageUuid: organization.stages.lost, lostReasonCategoryUuid }
      const answer = await mover(organization)(id, 1, body)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/lostReasonCategoryUuid']])
    }
  })

  it('needs no reason where the pipeline wants none', async () => {
    const organization = await given.organization()
    const { lost } = await anotherPipeline(given, organization, { lostReasonRequired: false })
    const { id } = await aDealIn('first', organization)
    const { status, data } = await mover(organization)(id, 1, { stageUuid: lost })
    expect([status, data.status, data.lostReasonCategoryUuid]).toEqual([200, 'lost', null])
  })

  it.each([
    ['composed', 'Zoe\u0308', 'Zo\u00eb'],
    ['null when it is blank', ' \n ', null],
    ['null when it is empty', '', null],
  ])('stores the comment like every text: %s', async (_, lostReasonComment, stored) => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const reason = { stageUuid: organization.stages.lost, lostReasonCategoryUuid: organization.lostReason }
    const { status, data } = await mover(organization)(id, 1, { ...reason, lostReasonComment })
    expect([status, data.lostReasonComment]).toEqual([200, stored])
  })

  it('takes a comment of 2000 code points and refuses one more: 400', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const reason = { stageUuid: organization.stages.lost, lostReasonCategoryUuid: organization.lostReason }
    const long = await mover(organization)(id, 1, { ...reason, lostReasonComment: '𝒳'.repeat(2001) })
    expect([outcome(long), issuePaths(long)]).toEqual(['400 validation_error', ['/lostReasonComment']])
    const taken = await mover(organization)(id, 1, { ...reason, lostReasonComment: '𝒳'.repeat(2000) })
    expect(taken.status).toBe(200)
  })
})

describe('a move within the lost stage', () => {
  const again = (organization: TestOrganization, members: JsonObject) => ({
    stageUuid: organization.stages.lost,
    ...members,
  })

  it('changes the reason alone: the deal keeps its place and its times', async () => {
    const organization = await given.organization()
    const { reason: foreign } = await anotherPipeline(given, organization)
    await given.configure(organization, 'update lost_reason_categories set pipeline_id = null where id = $1', [foreign])
    const deal = await aDealIn('lost', organization)
    given.clock.advance(60_000)
    const { data } = await mover(organization)(deal.id, 1, again(organization, { lostReasonCategoryUuid: foreign }))
    expect(data).toEqual({ ...deal, version: 2, lostReasonCategoryUuid: foreign, updatedAt: data.updatedAt })
  })

  it('is a no-op with the same reason or none', async () => {
    const organization = await given.shared()
    const deal = await aDealIn('lost', organization)
    const facts = await factsOf(given, organization, async () => {
      for (const members of [{}, { lostReasonCategoryUuid: organization.lostReason }]) {
        const { status, data } = await mover(organization)(deal.id, 1, again(organization, members))
        expect([status, data]).toEqual([200, deal])
      }
    })
    expect(facts).toEqual(nothing)
  })

  it('sets, keeps and with null clears the comment', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('lost', organization)
    const move = mover(organization)
    const set = await move(id, 1, again(organization, { lostReasonComment: 'Too dear' }))
    expect([set.data.version, set.data.lostReasonComment]).toEqual([2, 'Too dear'])
    const kept = await move(id, 2, again(organization, {}))
    expect([kept.data.version, kept.data.lostReasonComment]).toEqual([2, 'Too dear'])
    const cleared = await move(id, 2, again(organization, { lostReasonComment: null }))
    expect([cleared.data.version, cleared.data.lostReasonComment]).toEqual([3, null])
  })
})

describe('a move to another pipeline', () => {
  it('takes pipelineId along', async () => {
    const organization = await given.organization()
    const { pipelineId, open } = await anotherPipeline(given, organization)
    const { id } = await aDealIn('first', organization)
    const { data } = await mover(organization)(id, 1, { stageUuid: open })
    expect(data).toMatchObject({ pipelineId, stageUuid: open, status: 'open' })
    const [, moved] = await dealEvents(given, id)
    expect(moved?.data).toMatchObject({ fromPipelineId: organization.pipelineId, toPipelineId: pipelineId })
  })
})

describe('a move from one lost stage to another', () => {
  it('is recorded in the history of the deal with its new reason', async () => {
    const organization = await given.organization()
    const { lost, reason } = await anotherPipeline(given, organization)
    const { id } = await aDealIn('lost', organization)
    const { data } = await mover(organization)(id, 1, { stageUuid: lost, lostReasonCategoryUuid: reason })
    expect([data.status, data.lostReasonCategoryUuid]).toEqual(['lost', reason])
    const changes = (await dealEvents(given, id)).filter(event => Number(event.deal_version) === 2)
    expect(changes.map(({ kind }) => kind)).toEqual(['deal.updated', 'deal.moved'])
    expect(changes[0]?.data).toEqual({
      changedFields: ['lostReasonCategoryUuid'],
      before: { lostReasonCategoryUuid: organization.lostReason },
      after: { lostReasonCategoryUuid: reason },
    })
  })
})

describe('a move that is not possible', () => {
  it('is refused for an unknown, an archived and a foreign stage: 422', async () => {
    const organization = await given.organization()
    const archived = await anotherPipeline(given, organization)
    await given.configure(organization, 'update stages set archived = true where id = $1', [archived.open])
    const { stages: foreign } = await given.shared()
    const { id } = await aDealIn('first', organization)
    for (const stageUuid of [unknownId, archived.open, foreign.second]) {
      const answer = await mover(organization)(id, 1, { stageUuid })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/stageUuid']])
    }
  })

  it.each([
    ['/stageUuid', {}],
    ['/stageUuid', { stageUuid: 'won' }],
    ['/stageUuid', { stageUuid: null }],
    ['/position', { stageUuid: unknownId, position: -1 }],
    ['/position', { stageUuid: unknownId, position: 2_147_483_648 }],
    ['/position', { stageUuid: unknownId, position: 0.5 }],
    ['/position', { stageUuid: unknownId, position: '0' }],
    ['/position', { stageUuid: unknownId, position: null }],
    ['/lostReasonCategoryUuid', { stageUuid: unknownId, lostReasonCategoryUuid: 'price' }],
    ['/title', { stageUuid: unknownId, title: 'x' }],
    ['/pipelineId', { stageUuid: unknownId, pipelineId: unknownId }],
  ])('is refused as malformed at %s: %j', async (path, members) => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    const answer = await mover(organization)(id, 1, members)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })
})

describe('position of a move', () => {
  /** Three deals in the second stage, top first, and one elsewhere; and how the stage is ordered afterwards. */
  async function aStage() {
    const organization = await given.organization()
    const c = await aDealIn('second', organization, { title: 'c' })
    const b = await aDealIn('second', organization, { title: 'b' })
    const a = await aDealIn('second', organization, { title: 'a' })
    const x = await aDealIn('first', organization, { title: 'x' })
    const move = mover(organization)
    const order = async () => {
      const { items } = await organization.client.get('/deals')
      const inStage = items.filter(({ stageUuid }) => stageUuid === organization.stages.second)
      const sorted = inStage.toSorted((one, other) => (String(one.rank) < String(other.rank) ? -1 : 1))
      return sorted.map(({ title }) => title).join('')
    }
    const { second } = organization.stages
    return {
      organization,
      deals: { a, b, c, x },
      order,
      to: (deal: JsonObject, version: number, members: JsonObject) =>
        move(deal.id, version, { stageUuid: second, ...members }),
    }
  }

  it.each([
    [undefined, 'xabc'],
    [0, 'xabc'],
    [1, 'axbc'],
    [2, 'abxc'],
    [3, 'abcx'],
    [4, 'abcx'],
    [1_000_000, 'abcx'],
  ])('%j of a deal from another stage gives the order %s, and no other deal changes', async (position, expected) => {
    const { deals, order, to, organization } = await aStage()
    expect(await order()).toBe('abc')
    const { status, data } = await to(deals.x, 1, position === undefined ? {} : { position })
    expect([status, data.version]).toEqual([200, 2])
    expect(await order()).toBe(expected)
    for (const other of [deals.a, deals.b, deals.c]) {
      expect((await organization.client.get(`/deals/${other.id}`)).data).toEqual(other)
    }
  })

  it.each([
    ['a', 1, 'bac'],
    ['a', 2, 'bca'],
    ['a', 9, 'bca'],
    ['b', 0, 'bac'],
    ['b', 2, 'acb'],
    ['c', 0, 'cab'],
    ['c', 1, 'acb'],
  ] as const)('of %s in its own stage is counted without it: %i gives %s', async (name, position, expected) => {
    const { deals, order, to } = await aStage()
    const { data } = await to(deals[name], 1, { position })
    expect(data).toEqual({ ...deals[name], rank: data.rank, version: 2, updatedAt: data.updatedAt })
    expect(await order()).toBe(expected)
  })

  it.each([
    ['a', { position: 0 }],
    ['b', { position: 1 }],
    ['c', { position: 2 }],
    ['c', { position: 2_147_483_647 }],
    ['b', {}],
    ['c', {}],
  ] as const)('of %s that it holds already, or none, in its own stage is a no-op: %j', async (name, members) => {
    const { deals, order, to, organization } = await aStage()
    const facts = await factsOf(given, organization, async () => {
      const { status, data } = await to(deals[name], 1, members)
      expect([status, data]).toEqual([200, deals[name]])
    })
    expect(facts).toEqual(nothing)
    expect(await order()).toBe('abc')
  })

  describe('next to deals that share a rank', () => {
    /** The stage of `aStage`, where b and c share a rank and d lies closely below them. */
    async function aTiedStage() {
      const stage = await aStage()
      const d = await aDealIn('second', stage.organization, { title: 'd' })
      const { a, b, c } = stage.deals
      const ranks = { a: 'a1', tied: 'a2', d: 'a2V' }
      for (const [{ id }, rank] of [
        [a, ranks.a],
        [b, ranks.tied],
        [c, ranks.tied],
        [d, ranks.d],
      ] as const) {
        await given.sql('update deals set rank = $2 where id = $1', [id, rank])
      }
      return { ...stage, ranks }
    }

    it.each([
      ['one of them', 2],
      ['the last of them', 3],
    ])('comes right behind them when it follows %s, and passes no other deal', async (_, position) => {
      const { deals, to, ranks } = await aTiedStage()
      const { data } = await to(deals.x, 1, { position })
      expect(ranks.tied < String(data.rank) && String(data.rank) < ranks.d).toBe(true)
    })

    it('comes right before them when it precedes the first of them', async () => {
      const { deals, to, ranks } = await aTiedStage()
      const { data } = await to(deals.x, 1, { position: 1 })
      expect(ranks.a < String(data.rank) && String(data.rank) < ranks.tied).toBe(true)
    })

    it.each(['b', 'c'] as const)('gives %s, which is one of them, a place of its own', async name => {
      const { deals, to, ranks } = await aTiedStage()
      const before = await to(deals[name], 1, { position: 1 })
      expect([before.status, before.data.version]).toEqual([200, 2])
      expect(ranks.a < String(before.data.rank) && String(before.data.rank) < ranks.tied).toBe(true)
      const behind = await to(deals[name], 2, { position: 2 })
      expect(ranks.tied < String(behind.data.rank) && String(behind.data.rank) < ranks.d).toBe(true)
    })
  })

  it('in an empty stage is the top, whatever it is', async () => {
    const organization = await given.organization()
    for (const position of [0, 1, 7]) {
      const { id } = await aDealIn('first', organization)
      const stageUuid = organization.stages.won
      expect((await mover(organization)(id, 1, { stageUuid, position })).status).toBe(200)
      await organization.client.delete(`/deals/${id}?expectedVersion=2`)
    }
  })
})
