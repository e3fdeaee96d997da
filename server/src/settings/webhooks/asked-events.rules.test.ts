import { describe, expect, it } from 'vitest'
import { eventSources } from '../../modules.ts'
import { type AskedEvents, wrongEvents } from './asked-events.rules.ts'

const owner = '0190a1b2-0000-7000-8000-000000000001'
const wrong = (asked: Partial<AskedEvents>) =>
  wrongEvents({ kinds: ['deal.*'], filter: {}, changedFields: [], ...asked }, eventSources)

describe('kinds of events', () => {
  it('are those of the feed, those derived from them, all of a kind of records, or all', () => {
    const written = [
      ...['contact', 'company', 'deal', 'task'].flatMap(type =>
        ['created', 'updated', 'deleted'].map(verb => `${type}.${verb}`),
      ),
      ...['contact.merged', 'contact.anonymized', 'company.merged'],
      ...['deal.moved', 'deal.won', 'deal.lost', 'deal.reopened'],
      ...['import', 'export', 'bulk_job'].flatMap(type =>
        ['completed', 'failed', 'canceled'].map(verb => `${type}.${verb}`),
      ),
    ]
    expect(eventSources.flatMap(({ kinds }) => kinds).toSorted()).toEqual(written.toSorted())
    for (const word of ['*', 'contact.*', 'bulk_job.*', ...written]) expect(wrong({ kinds: [word] })).toBeNull()
  })

  it.each([
    ['contact.create', 'no such kind of events: contact.create: did you mean contact.created?'],
    ['contacts.created', 'no such kind of events: contacts.created: did you mean contact.created?'],
    ['contact.everything', 'no such kind of events: contact.everything: did you mean contact.*?'],
    ['contact', 'no such kind of events: contact: did you mean contact.*?'],
    ['task.merged', 'no such kind of events: task.merged'],
    ['deal.win', 'no such kind of events: deal.win: did you mean deal.won?'],
    ['*.created', 'no such kind of events: *.created'],
    ['agent.*', 'no such kind of events: agent.*'],
    ['', 'no such kind of events: .'],
  ])('cannot be %s', (word, reason) => {
    expect(wrong({ kinds: ['deal.*', word] })).toMatch(
      new RegExp(`^${reason.replaceAll(/[.*?]/gu, String.raw`\$&`)}`, 'u'),
    )
  })

  it('are at most 50, and a message quotes 100 characters of one', () => {
    expect(wrong({ kinds: Array.from({ length: 51 }, () => 'deal.moved') })).toBe(
      'a webhook has at most 50 kinds of events',
    )
    expect(wrong({ kinds: ['x'.repeat(5000)] })?.length).toBeLessThan(200)
  })
})

describe('changed fields', () => {
  it('are those that events of these kinds name', () => {
    expect(wrong({ changedFields: ['stageUuid', 'items', 'tags', 'externalId'] })).toBeNull()
    expect(wrong({ kinds: ['deal.updated', 'task.*'], changedFields: ['stageUuid', 'checklists'] })).toBeNull()
  })

  it.each([
    [['deal.*'], 'stageUid', 'no event of these kinds names a changed field stageUid: did you mean stageUuid?'],
    [['task.*'], 'stageUuid', 'no event of these kinds names a changed field stageUuid.'],
    [['import.*'], 'status', 'no event of these kinds names a changed field status.'],
  ])('of %s cannot be %s', (kinds, field, reason) => {
    expect(wrong({ kinds, changedFields: [field] })).toBe(reason)
  })

  it('are at most 50', () => {
    expect(wrong({ changedFields: Array.from({ length: 51 }, () => 'title') })).toBe(
      'a webhook has at most 50 changed fields',
    )
  })
})

describe('filters', () => {
  it('are those of the list of the records', () => {
    expect(
      wrong({ filter: { ownerUuid: [owner, owner], status: ['open'], createdFrom: ['2026-01-31T09:15:00Z'] } }),
    ).toBeNull()
    expect(wrong({ kinds: ['contact.*'], filter: { email: ['ann@acme.example'] } })).toBeNull()
  })

  it.each([
    [['deal.*', 'task.created'], { ownerUuid: [owner] }, 'these kinds of events are about deal, task'],
    [['*'], { ownerUuid: [owner] }, 'a filter is one of the list of one kind of records'],
    [['deal.*'], { ownerUid: [owner] }, 'no such filter of the kind deal: ownerUid: did you mean ownerUuid?'],
    [['deal.*'], { search: ['a'] }, 'no such filter of the kind deal: search.'],
    [['deal.*'], { sort: ['-createdAt'] }, 'no such filter of the kind deal: sort.'],
    [['import.*'], { status: ['completed'] }, 'no such filter of the kind import: status.'],
    [['deal.*'], { ownerUuid: ['Ann'] }, '"Ann" is no value of the filter ownerUuid: a UUID'],
    [['deal.*'], { status: ['open', 'opened'] }, '"opened" is no value of the filter status: open, won, lost'],
    [
      ['deal.*'],
      { ownerUuid: Array.from({ length: 21 }, () => owner) },
      'the filter ownerUuid takes at most 20 values',
    ],
    [
      ['deal.*'],
      { createdFrom: ['2026-01-31T09:15:00Z', '2026-02-01T00:00:00Z'] },
      'the filter createdFrom takes one value',
    ],
  ])('of %s cannot be %j', (kinds, filter, reason) => {
    expect(wrong({ kinds, filter })).toContain(reason)
  })
})
