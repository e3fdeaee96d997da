import { describe, expect, it } from 'vitest'
import { aConfiguration, aDealState, issuesIn } from '../../../../test/support/decisions.ts'
import { Refusal, type Stage } from '../../kernel/schema/index.ts'
import { dealRules } from './deal.rules.ts'
import type { DealState } from './deal-fields.ts'

const now = '2026-03-02T00:00:00.000Z'
const stage = (uuid: string, type: Stage['type']): Stage => ({
  uuid,
  type,
  name: uuid,
  pipelineId: 'sales',
  position: 0,
  archived: false,
})
const [talks, won, lost] = [stage('talks', 'open'), stage('won', 'won'), stage('lost', 'lost')]
const stages = [talks, won, lost]
const configuration = aConfiguration({
  pipelines: [{ id: 'sales', name: 'Sales', isDefault: true, lostReasonRequired: false, stages }],
  stages: new Map(stages.map(each => [each.uuid, each])),
})

interface Around {
  readonly previous?: DealState
  readonly stored?: string
  readonly siblings?: readonly DealState[]
}

const settled = (next: DealState, input: Record<string, unknown>, around: Around = {}) =>
  dealRules.settle(next, {
    previous: around.previous ?? null,
    input,
    write: { configuration, now, random: () => 0.5 },
    topOf: uuid => (uuid === 'talks' ? (around.stored ?? null) : null),
    siblings: () => around.siblings ?? [],
  })

function refusedAt(result: unknown): unknown {
  if (!(result instanceof Refusal)) return result
  return [result.status, issuesIn(result).map(({ path, rule }) => [path, rule])]
}

function rankOf(result: DealState | Refusal): string {
  if (result instanceof Refusal) throw new Error(result.message)
  return result.rank
}

describe('a new deal', () => {
  it('enters the stage that it is created in, for the first time', () => {
    const expected = { stageUuid: 'won', status: 'won', stageChangedAt: now, closedAt: now, stageSpan: 1 }
    expect(settled(aDealState({ stageUuid: '' }), { stageUuid: 'won' })).toMatchObject(expected)
  })

  it('takes the comment on why it was lost', () => {
    const input = { stageUuid: 'lost', lostReasonComment: 'Too dear' }
    expect(settled(aDealState(), input)).toMatchObject({ status: 'lost', lostReasonComment: 'Too dear' })
    expect(settled(aDealState(), { stageUuid: 'lost' })).toMatchObject({ status: 'lost', lostReasonComment: null })
  })

  it('is refused where it cannot enter the stage', () => {
    expect(refusedAt(settled(aDealState(), { stageUuid: 'nowhere' }))).toEqual([422, [['/stageUuid', 'stage']]])
    const input = { stageUuid: 'talks', lostReasonComment: 'Too dear' }
    expect(refusedAt(settled(aDealState(), input))).toEqual([422, [['/lostReasonComment', 'status']]])
  })

  it('goes on top of its stage, above stored deals and those that the request created before', () => {
    const alone = rankOf(settled(aDealState(), {}))
    expect(alone > 'Zz').toBe(true)
    expect(rankOf(settled(aDealState(), {}, { stored: 'Zy' })) < 'Zy').toBe(true)
    const siblings = [aDealState({ rank: 'Zx' }), aDealState({ rank: 'Zw' }), aDealState({ rank: 'Zz' })]
    expect(rankOf(settled(aDealState(), {}, { stored: 'Zy', siblings })) < 'Zw').toBe(true)
    expect(rankOf(settled(aDealState(), {}, { siblings: siblings.toReversed() })) < 'Zw').toBe(true)
  })

  it('does not look at deals of other stages', () => {
    const alone = rankOf(settled(aDealState(), {}))
    expect(rankOf(settled(aDealState(), {}, { siblings: [aDealState({ stageUuid: 'won', rank: 'Zw' })] }))).toBe(alone)
    expect(rankOf(settled(aDealState(), { stageUuid: 'won' }, { stored: 'Zw' }))).toBe(alone)
  })
})

describe('a deal that is changed', () => {
  it('stays where it is', () => {
    const previous = aDealState({ stageSpan: 4 })
    expect(settled({ ...previous, title: 'Tables' }, { title: 'Tables' }, { previous })).toEqual({
      ...previous,
      title: 'Tables',
    })
  })

  it('has a comment on why it was lost while it is lost, and may lose it at any time', () => {
    const previous = aDealState()
    const input = { lostReasonComment: 'Too dear' }
    expect(refusedAt(settled({ ...previous, ...input }, input, { previous }))).toEqual([
      422,
      [['/lostReasonComment', 'status']],
    ])
    expect(settled(previous, { lostReasonComment: null }, { previous })).toEqual(previous)
    const lostDeal = aDealState({ status: 'lost', stageUuid: 'lost' })
    expect(settled({ ...lostDeal, ...input }, input, { previous: lostDeal })).toMatchObject(input)
  })

  it('keeps the rules of money', () => {
    const previous = aDealState()
    const result = settled({ ...previous, currency: 'EUR' }, { currency: 'EUR' }, { previous })
    expect(refusedAt(result)).toEqual([422, [['/currency', 'currency']]])
  })
})

describe('the parties of a deal', () => {
  it.each([
    [aDealState({ companies: [], contacts: [] }), false],
    [aDealState({ companies: ['c'], contacts: [] }), true],
    [aDealState({ companies: [], contacts: ['c'] }), true],
    [aDealState({ kind: 'unsorted', companies: [], contacts: [] }), true],
  ])('are one at least, unless it is unsorted', (deal, holds) => {
    expect(dealRules.relinked(deal) === deal).toBe(holds)
    expect(settled(deal, {}, { previous: deal }) instanceof Refusal).toBe(!holds)
  })

  it('are named in the refusal, with a reason that a blocker can show', () => {
    const refusal = dealRules.relinked(aDealState({ companies: [] }))
    expect(refusedAt(refusal)).toEqual([422, [['/companies', 'deal_party_required']]])
    expect(refusal).toMatchObject({ details: { reason: 'deal_party_required' } })
  })
})
