import { expect, test } from 'vitest'
import { beginEdit, editOfDraft, leftOver, partOfPresets } from './edit.ts'

const sent = beginEdit({
  origin: 'form',
  kind: 'contacts',
  id: null,
  part: '',
  name: null,
  version: null,
  saw: new Map(),
  mine: new Map([['lastName', 'Kowalska']]),
})
const saved = { id: 'a', version: 1, lastName: 'Kowalska', source: 'api' }
const values = new Map([
  ['lastName', 'Kowalska'],
  ['source', 'api'],
])

test('what was typed while a record was saved goes on, on top of the saved one', () => {
  const now = { ...sent, mine: new Map([...sent.mine, ['jobTitle', 'Director']]) }
  const rest = leftOver(sent, now, saved, values, 'Kowalska')
  expect(rest).toMatchObject({ id: 'a', version: 1, name: 'Kowalska', hasForm: true, isSaving: false })
  expect(rest?.token).toBe(sent.token)
  expect([...(rest?.mine ?? [])]).toEqual([...values, ['jobTitle', 'Director']])
  expect(leftOver(sent, sent, saved, values, 'Kowalska')).toBeUndefined()
})

test('a draft goes on in a form, with the submission that was not answered', () => {
  const submission = { key: 'k', body: '{}', mine: sent.mine }
  const edit = editOfDraft({ ...sent, page: '/cabinet/o/o/contacts', submission })
  expect(edit).toMatchObject({ hasForm: true, isDraft: true, submission })
  expect('page' in edit).toBe(false)
})

test('new records that begin with the same values have the same draft', () => {
  const presets = new Map([['contactIds', ['a']]])
  expect(partOfPresets(presets)).toBe(partOfPresets(new Map(presets)))
  expect(partOfPresets(presets)).not.toBe(partOfPresets(new Map([['contactIds', ['b']]])))
  expect(partOfPresets(new Map())).toBe('')
})
