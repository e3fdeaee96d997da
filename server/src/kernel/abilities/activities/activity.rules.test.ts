import { describe, expect, it } from 'vitest'
import { refused } from '../../../../../test/support/decisions.ts'
import { compileSchema } from '../../schema/index.ts'
import { activityRules } from './activity.rules.ts'
import type { ActivityState } from './activity-fields.ts'

const now = '2026-03-02T10:00:00.000Z'
const write = { now, author: { uuid: null }, applicationId: 'application' }

const anActivity = (members: Partial<ActivityState> = {}): ActivityState => ({
  id: 'activity',
  externalId: null,
  version: 1,
  createdAt: now,
  updatedAt: now,
  createdByApplicationId: null,
  createdByUuid: null,
  updatedByUuid: null,
  type: 'call',
  subject: 'Delivery',
  body: null,
  direction: null,
  occurredAt: '',
  durationSeconds: null,
  outcome: null,
  authorUuid: null,
  applicationId: null,
  ...members,
})

const settled = (next: ActivityState, previous: ActivityState | null = null) =>
  activityRules.settle(next, { previous, write })

const { create, patch } = activityRules.documented
const [documentedCreate, documentedPatch] = [create, patch].map(schema => compileSchema({ type: 'object', ...schema }))

describe('the documented rule for subject and body', () => {
  it.each([
    {},
    { subject: null },
    { subject: 'x' },
    { body: 'x' },
    { subject: null, body: 'x' },
    { subject: null, body: null },
  ])('is the one that the server checks for %j', input => {
    expect(documentedCreate?.(input, '').length === 0).toBe(activityRules.inspectCreate(input).length === 0)
    expect(documentedPatch?.(input, '').length === 0).toBe(activityRules.inspectPatch(input).length === 0)
  })
})

describe('an activity', () => {
  it('happened now by default, through the application that adds it', () => {
    expect(settled(anActivity())).toMatchObject({ occurredAt: now, applicationId: 'application' })
  })

  it('keeps who added it and when it happened', () => {
    const before = anActivity({ occurredAt: '2026-03-01T10:00:00.000Z', applicationId: 'another' })
    expect(settled({ ...before, subject: 'Price' }, before)).toMatchObject({
      occurredAt: '2026-03-01T10:00:00.000Z',
      applicationId: 'another',
      subject: 'Price',
    })
  })

  it('has a subject or a body', () => {
    const issue = { path: '/subject', rule: 'required', message: expect.any(String) }
    expect(activityRules.inspectCreate({ type: 'note' })).toEqual([issue])
    expect(activityRules.inspectCreate({ type: 'note', subject: null, body: null })).toEqual([issue])
    expect(activityRules.inspectCreate({ type: 'note', body: 'x' })).toEqual([])
    expect(activityRules.inspectPatch({ subject: null, body: null })).toEqual([issue])
    for (const one of [{ subject: null }, { body: null }, { subject: null, body: 'x' }])
      expect(activityRules.inspectPatch(one)).toEqual([])
    const before = anActivity({ occurredAt: now })
    expect(settled({ ...before, subject: null, body: 'x' }, before)).toMatchObject({ subject: null, body: 'x' })
    expect(refused(settled({ ...before, subject: null }, before))).toEqual([
      422,
      'validation_error',
      '/subject required',
    ])
  })

  it.each(['note', 'meeting', 'other'] as const)('of type %s has no direction', type => {
    expect(refused(settled(anActivity({ type, direction: 'inbound' })))).toEqual([
      422,
      'validation_error',
      '/direction type',
    ])
  })

  it.each(['call', 'email', 'message'] as const)('of type %s has a direction', type => {
    expect(settled(anActivity({ type, direction: 'outbound' }))).toMatchObject({ direction: 'outbound' })
  })

  it.each(['note', 'email', 'message', 'other'] as const)('of type %s has no duration', type => {
    expect(refused(settled(anActivity({ type, durationSeconds: 0 })))).toEqual([
      422,
      'validation_error',
      '/durationSeconds type',
    ])
  })

  it.each(['call', 'meeting'] as const)('of type %s has a duration', type => {
    expect(settled(anActivity({ type, durationSeconds: 60 }))).toMatchObject({ durationSeconds: 60 })
  })

  it.each(['call', 'email', 'message'] as const)('of type %s lies five minutes ahead at most', type => {
    const [near, far] = ['2026-03-02T10:05:00.000Z', '2026-03-02T10:05:00.001Z']
    expect(settled(anActivity({ type, occurredAt: near }))).toMatchObject({ occurredAt: near })
    expect(refused(settled(anActivity({ type, occurredAt: far })))).toEqual([
      422,
      'validation_error',
      '/occurredAt future',
    ])
  })

  it('that lies far ahead may stay there when it becomes a call', () => {
    const before = anActivity({ type: 'note', occurredAt: '2027-01-01T00:00:00.000Z' })
    expect(settled({ ...before, type: 'call' }, before)).toMatchObject({ type: 'call', occurredAt: before.occurredAt })
  })

  it('names the types that have the member that it may not have', () => {
    expect(settled(anActivity({ type: 'note', direction: 'inbound' }))).toMatchObject({
      message: '/direction: Only activities of these types have it: call, email, message',
    })
  })

  it.each(['note', 'meeting', 'other'] as const)('of type %s may lie far ahead', type => {
    const occurredAt = '2027-01-01T00:00:00.000Z'
    expect(settled(anActivity({ type, occurredAt }))).toMatchObject({ occurredAt })
  })
})
