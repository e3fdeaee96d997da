import { describe, expect, it } from 'vitest'
import { aConfiguration, aDealState, refused } from '../../../../test/support/decisions.ts'
import type { Stage } from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'
import { enterStage, isMoved, stageForNewDeal, usableStage } from './stage.rules.ts'

const stage = (uuid: string, type: Stage['type'], members: Partial<Stage> = {}): Stage => ({
  uuid,
  type,
  name: uuid,
  pipelineId: 'sales',
  position: 0,
  archived: false,
  ...members,
})

const old = stage('old', 'open', { archived: true })
const open = stage('open', 'open')
const talks = stage('talks', 'open')
const won = stage('won', 'won')
const lost = stage('lost', 'lost')
const due = stage('due', 'open', { pipelineId: 'renewals' })
const gone = stage('gone', 'lost', { pipelineId: 'renewals' })
const stages = [old, open, talks, won, lost, due, gone]

const configuration = aConfiguration({
  pipelines: [
    { id: 'empty', name: 'Empty', isDefault: false, lostReasonRequired: true, stages: [old] },
    { id: 'sales', name: 'Sales', isDefault: true, lostReasonRequired: true, stages: [old, open, talks, won, lost] },
    { id: 'renewals', name: 'Renewals', isDefault: false, lostReasonRequired: false, stages: [due, gone] },
  ],
  stages: new Map(stages.map(each => [each.uuid, each])),
  lostReasons: new Map(
    [
      { uuid: 'price', name: 'Price', pipelineId: null, active: true },
      { uuid: 'moved', name: 'Moved', pipelineId: 'renewals', active: true },
      { uuid: 'obsolete', name: 'Obsolete', pipelineId: null, active: false },
    ].map(reason => [reason.uuid, reason]),
  ),
})

const before = '2026-03-01T00:00:00.000Z'
const now = '2026-03-02T00:00:00.000Z'

/** A deal that has been in a stage for a day. */
function aDeal(at: Stage, members: Partial<DealState> = {}): DealState {
  return aDealState({
    pipelineId: at.pipelineId,
    stageUuid: at.uuid,
    status: at.type,
    stageChangedAt: before,
    stageSpan: 3,
    lostReasonCategoryUuid: at.type === 'lost' ? 'price' : null,
    closedAt: at.type === 'open' ? null : before,
    ...members,
  })
}

const enter = (deal: DealState, to: Stage, input: Record<string, unknown> = {}) =>
  enterStage(deal, to, input, configuration, now)

const at = (path: string, rule: string) => [422, 'validation_error', `${path} ${rule}`]
const atReason = (rule: string) => at('/lostReasonCategoryUuid', rule)

describe('the stage of a new deal', () => {
  it.each([
    [{}, 'open'],
    [{ pipelineId: 'renewals' }, 'due'],
    [{ stageUuid: 'talks' }, 'talks'],
    [{ stageUuid: 'gone', pipelineId: 'renewals' }, 'gone'],
  ])('for %j is %s: never an archived one', (input, uuid) => {
    expect(stageForNewDeal(input, configuration)).toMatchObject({ uuid })
  })

  it.each([
    [{ stageUuid: 'talks', pipelineId: 'renewals' }, '/pipelineId', 'pipeline'],
    [{ stageUuid: 'nowhere' }, '/stageUuid', 'stage'],
    [{ stageUuid: 'old' }, '/stageUuid', 'stage'],
    [{ pipelineId: 'nowhere' }, '/pipelineId', 'pipeline'],
    [{ pipelineId: 'empty' }, '/pipelineId', 'pipeline'],
  ])('for %j is refused at %s', (input, path, rule) => {
    expect(refused(stageForNewDeal(input, configuration))).toEqual(at(path, rule))
  })

  it('needs a default pipeline where the request names none', () => {
    expect(refused(stageForNewDeal({}, { ...configuration, pipelines: [] }))).toEqual(at('/pipelineId', 'pipeline'))
  })
})

describe('a stage', () => {
  it('can be entered unless it is unknown or archived', () => {
    expect(usableStage('won', configuration)).toBe(won)
    expect(refused(usableStage('old', configuration))).toEqual(at('/stageUuid', 'stage'))
    expect(refused(usableStage('nowhere', configuration))).toEqual(at('/stageUuid', 'stage'))
  })
})

describe('entering an open stage', () => {
  it.each([open, won, lost])('from $uuid opens the deal, and clears the reason and comment of a lost one', from => {
    const deal = aDeal(from, from.type === 'lost' ? { lostReasonComment: 'too dear' } : {})
    expect(enter(deal, talks)).toMatchObject({
      status: 'open',
      stageUuid: 'talks',
      closedAt: null,
      stageChangedAt: now,
      stageSpan: 4,
      lostReasonCategoryUuid: null,
      lostReasonComment: null,
    })
  })

  it('refuses a reason and a comment', () => {
    expect(refused(enter(aDeal(open), talks, { lostReasonCategoryUuid: 'price' }))).toEqual(atReason('status'))
    expect(refused(enter(aDeal(open), talks, { lostReasonComment: 'x' }))).toEqual(at('/lostReasonComment', 'status'))
  })

  it('of another pipeline takes the deal there', () => {
    expect(enter(aDeal(open), due)).toMatchObject({ pipelineId: 'renewals', stageUuid: 'due' })
  })
})

describe('entering a won stage', () => {
  it('closes the deal now', () => {
    expect(enter(aDeal(talks), won)).toMatchObject({ status: 'won', closedAt: now, stageChangedAt: now })
  })

  it('refuses a reason', () => {
    expect(refused(enter(aDeal(talks), won, { lostReasonCategoryUuid: 'price' }))).toEqual(atReason('status'))
  })
})

describe('entering a lost stage', () => {
  it('closes the deal with reason and comment', () => {
    const input = { lostReasonCategoryUuid: 'price', lostReasonComment: 'too dear' }
    expect(enter(aDeal(talks), lost, input)).toMatchObject({ status: 'lost', closedAt: now, ...input })
  })

  it.each([[undefined], [null], ['nowhere'], ['obsolete'], ['moved']])('refuses the reason %j', reason => {
    const input = reason === undefined ? {} : { lostReasonCategoryUuid: reason }
    expect(refused(enter(aDeal(talks), lost, input))).toEqual(
      atReason(typeof reason === 'string' ? 'lost_reason' : 'required'),
    )
  })

  it('needs no reason where the pipeline requires none, and takes one of its own', () => {
    expect(enter(aDeal(talks), gone)).toMatchObject({ status: 'lost', lostReasonCategoryUuid: null })
    expect(enter(aDeal(talks), gone, { lostReasonCategoryUuid: 'moved' })).toMatchObject({
      lostReasonCategoryUuid: 'moved',
    })
  })

  it('of an unknown pipeline requires a reason', () => {
    const result = enterStage(aDeal(talks), gone, {}, { ...configuration, pipelines: [] }, now)
    expect(refused(result)).toEqual(atReason('required'))
  })

  it('from another lost stage asks for the reason again', () => {
    expect(refused(enter(aDeal(gone), lost))).toEqual(atReason('required'))
  })
})

describe('a new deal', () => {
  it('enters the stage that it names itself', () => {
    expect(enter(aDeal(talks, { stageSpan: 0 }), talks)).toMatchObject({ stageSpan: 1, stageChangedAt: now })
    const lostAtOnce = aDeal(lost, { stageSpan: 0, lostReasonCategoryUuid: null })
    expect(refused(enter(lostAtOnce, lost))).toEqual(atReason('required'))
  })
})

describe('staying in a stage', () => {
  it('that is not lost leaves no comment', () => {
    expect(enter(aDeal(open, { lostReasonComment: 'too dear' }), open)).toMatchObject({ lostReasonComment: null })
  })

  it.each(stages.filter(({ archived }) => !archived))('$uuid changes nothing', at => {
    const deal = aDeal(at)
    expect(enter(deal, at)).toEqual(deal)
  })

  it('lost may change the reason and the comment, and null clears the comment', () => {
    const deal = aDeal(lost, { lostReasonComment: 'too dear' })
    expect(enter(deal, lost, { lostReasonComment: 'too late' })).toEqual({ ...deal, lostReasonComment: 'too late' })
    expect(enter(deal, lost, { lostReasonComment: null })).toEqual({ ...deal, lostReasonComment: null })
    expect(enter(deal, lost)).toEqual(deal)
  })

  it('lost cannot give the reason up where one is required', () => {
    expect(refused(enter(aDeal(lost), lost, { lostReasonCategoryUuid: null }))).toEqual(atReason('required'))
  })
})

it('a deal is moved when its stage or its place in the stage changes', () => {
  const deal = aDealState()
  expect(isMoved(deal, { ...deal, stageUuid: 'won' })).toBe(true)
  expect(isMoved(deal, { ...deal, rank: 'a6' })).toBe(true)
  expect(isMoved(deal, { ...deal, title: 'Tables' })).toBe(false)
})
