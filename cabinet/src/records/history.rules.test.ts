import { expect, test } from 'vitest'
import { asOf, type HistoryStep, tellingChanges, undoOf } from './history.rules.ts'

const record = { id: 'a', version: 4, jobTitle: 'Director', lastName: 'Smirnova', contactData: { emails: [] } }

const steps: HistoryStep[] = [
  step(3, 4, [{ field: 'jobTitle', before: 'Buyer', after: 'Director' }]),
  step(2, 3, [
    { field: 'contactData', redacted: true },
    { field: 'activities', before: null, after: { id: 'x' } },
  ]),
  step(1, 2, [
    { field: 'lastName', before: 'Petrova', after: 'Smirnova' },
    { field: 'jobTitle', before: null, after: 'Buyer' },
  ]),
  { action: 'contact.created', versionBefore: null, versionAfter: 1, changes: [] },
]

test('a record as of a version lacks all that was changed since', () => {
  expect(asOf(record, steps, 4).record).toEqual(record)
  expect(asOf(record, steps, 3).record).toMatchObject({ version: 3, jobTitle: 'Buyer', lastName: 'Smirnova' })
  expect(asOf(record, steps, 1).record).toMatchObject({ version: 1, jobTitle: null, lastName: 'Petrova' })
})

test('a value that the history hides is unknown, and not the one of today', () => {
  const { record: old, unknown } = asOf(record, steps, 2)
  expect([...unknown]).toEqual(['contactData'])
  expect(old).not.toHaveProperty('contactData')
  expect(old).not.toHaveProperty('activities')
})

test('an update is taken back by its values before', () => {
  const undo = undoOf('contacts', step(2, 3, [{ field: 'jobTitle', before: 'Buyer', after: 'Director' }]))
  expect(undo).toEqual({ before: new Map([['jobTitle', 'Buyer']]), after: new Map([['jobTitle', 'Director']]) })
})

test('of contact data only the lists are taken back that changed', () => {
  const emails = [{ value: 'a@b.example', label: 'work', isPrimary: true }]
  const change = { field: 'contactData', before: { emails: [], phones: [] }, after: { emails, phones: [] } }
  expect(undoOf('contacts', step(2, 3, [change]))).toMatchObject({ before: new Map([['contactData.emails', []]]) })
  expect(tellingChanges([change])).toEqual([{ field: 'contactData.emails', before: [], after: emails }])
})

test('tags and stages are taken back by what they are changed with', () => {
  const tagged = {
    ...step(2, 3, [{ field: 'tagIds', before: ['1'], after: ['1', '2'] }]),
    action: 'contact.tags_replaced',
  }
  expect(undoOf('contacts', tagged)).toMatchObject({ tagIds: ['1'] })
  const moved: HistoryStep = {
    ...step(2, 3, [
      { field: 'stageUuid', before: 's1', after: 's2' },
      { field: 'rank', before: 'a', after: 'b' },
    ]),
    action: 'deal.moved',
  }
  expect(undoOf('deals', moved)).toMatchObject({ stageUuid: 's1', before: new Map() })
})

test('what cannot be taken back says why', () => {
  expect(undoOf('contacts', { ...step(2, 3, []), action: 'contact.merged' })).toBe('not-an-update')
  expect(undoOf('contacts', { action: 'contact.created', versionBefore: null, versionAfter: 1, changes: [] })).toBe(
    'not-an-update',
  )
  expect(undoOf('contacts', step(2, 3, [{ field: 'contactData', redacted: true }]))).toBe('hidden')
  expect(undoOf('contacts', step(2, 3, [{ field: 'activities', before: null, after: {} }]))).toBe('parts')
  expect(undoOf('contacts', step(2, 3, []))).toBe('nothing')
})

function step(versionBefore: number, versionAfter: number, changes: HistoryStep['changes']): HistoryStep {
  return { action: 'contact.updated', versionBefore, versionAfter, changes }
}
