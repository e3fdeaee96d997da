import { expect, test } from 'vitest'
import { namesOf, unknownField } from './fields.rules.ts'

const names = { id: 0, contactData: { emails: { value: 0, label: 0 } }, customFields: 1 } as const

test.each([
  'id',
  'contactData',
  'contactData.emails',
  'contactData.emails.0.value',
  'customFields.region',
  'customFields.a.b',
])('a record can have something at %s', path => expect(unknownField(['id', path], names)).toBeUndefined())

test.each([
  ['name', 'there is no field name: There are id, contactData, customFields'],
  ['contactdata', 'there is no field contactdata: did you mean contactData? There are id, contactData, customFields'],
  ['contactData.emails.0.type', 'there is no field contactData.emails.0.type: There are value, label'],
  ['id.value', 'there is no field id.value'],
  ['constructor', 'there is no field constructor: There are id, contactData, customFields'],
  ['', 'there is no field : There are id, contactData, customFields'],
])('no record has something at "%s"', (path, said) => expect(unknownField(['id', path], names)).toBe(said))

test('the members of records that nobody has described are those of all of them', () => {
  expect(namesOf([{ id: 1, tags: [{ name: 'a' }] }, 'text', { more: null }])).toEqual({ id: 1, tags: 1, more: 1 })
  expect(namesOf([]) ?? namesOf(['text'])).toBeUndefined()
})
