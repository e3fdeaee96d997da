import { expect, test } from 'vitest'
import { Failure } from '../api/failure.ts'
import { bodyForDraft, changedValues, settingDraftIn, tidyValues } from './setting-values.ts'

test('lines are sent without spaces and empty ones, and an empty text is not sent', () => {
  const typed = { name: 'Shop', color: '', cidrs: [' 10.0.0.0/8 ', '', '192.0.2.1'], required: false }
  expect(tidyValues(typed)).toEqual({ name: 'Shop', cidrs: ['10.0.0.0/8', '192.0.2.1'], required: false })
})

test('a change names what differs, and an emptied text is null', () => {
  const before = { name: 'Loyal', color: '#00ff00', cidrs: ['10.0.0.0/8'] }
  expect(changedValues({ name: 'Loyal', color: '', cidrs: ['10.0.0.0/8', ''] }, before, 3)).toEqual({
    expectedVersion: 3,
    color: null,
  })
})

test('a draft is saved for the version that it was typed for, and after a refusal for the one that the refusal names', () => {
  const draft = settingDraftIn(JSON.stringify({ version: 3, values: { name: 'Loyal' } }))
  expect(draft.values).toEqual({ name: 'Loyal' })
  const latest = { expectedVersion: 5, name: 'Loyal' }
  expect(bodyForDraft(latest, draft, null)).toEqual({ expectedVersion: 3, name: 'Loyal' })
  const refusal = new Failure('version_conflict', 409, 'It has changed', { currentVersion: 6 }, null)
  expect(bodyForDraft(latest, draft, refusal)).toEqual({ expectedVersion: 6, name: 'Loyal' })
  expect(bodyForDraft(latest, settingDraftIn(''), null)).toEqual(latest)
  expect(bodyForDraft({ name: 'New' }, draft, refusal)).toEqual({ name: 'New' })
})
