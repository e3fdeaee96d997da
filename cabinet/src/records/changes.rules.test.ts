import { expect, test } from 'vitest'
import { bodyOf, changed, fieldOfPointer, fitsField, valuesOf } from './changes.rules.ts'
import { fieldsOf } from './fields.ts'

const record = {
  id: 'a',
  version: 3,
  jobTitle: 'Buyer',
  contactData: { emails: [{ value: 'a@b.example' }], phones: [] },
}

test('a form begins with the values that the reader may see, and sends those that differ', () => {
  const before = valuesOf(record, fieldsOf.contacts)
  expect(before.has('contactData.emails')).toBe(true)
  expect(valuesOf({ id: 'a', version: 3, jobTitle: null }, fieldsOf.contacts).has('contactData.emails')).toBe(false)
  const after = new Map([
    ...before,
    ['jobTitle', 'Head of purchasing'],
    ['contactData.phones', [{ value: '+1 202 555 0100' }]],
  ])
  expect(bodyOf(changed(before, after), fieldsOf.contacts)).toEqual({
    jobTitle: 'Head of purchasing',
    contactData: { phones: [{ value: '+1 202 555 0100' }] },
  })
})

test('a change to nothing else than the order of members is none', () => {
  const before = new Map([['contactData.emails', [{ value: 'a@b.example', label: 'work' }]]])
  expect(changed(before, new Map([['contactData.emails', [{ label: 'work', value: 'a@b.example' }]]])).size).toBe(0)
})

test('references are sent as references, under the member that requests have', () => {
  expect(bodyOf(new Map([['companyIds', ['1', '2']]]), fieldsOf.deals)).toEqual({
    companies: [{ id: '1' }, { id: '2' }],
  })
  expect(bodyOf(new Map([['dealId', null]]), fieldsOf.tasks)).toEqual({ deal: null })
  expect(bodyOf(new Map([['dealId', '1']]), fieldsOf.tasks)).toEqual({ deal: { id: '1' } })
})

test('the pointer of an issue leads to the field that it is about', () => {
  expect(fieldOfPointer('/contactData/emails/0/value', fieldsOf.contacts)).toBe('contactData.emails')
  expect(fieldOfPointer('/companies/1/id', fieldsOf.deals)).toBe('companyIds')
  expect(fieldOfPointer('/jobTitle', fieldsOf.contacts)).toBe('jobTitle')
  expect(fieldOfPointer('/expectedVersion', fieldsOf.contacts)).toBeUndefined()
})

test('a number that could not be read is not sent', () => {
  expect(fitsField('12,50', { widget: 'amount' })).toBe(false)
  expect(fitsField('1200.50', { widget: 'amount' })).toBe(true)
  expect(fitsField('ten', { widget: 'number' })).toBe(false)
  expect(fitsField(10, { widget: 'number' })).toBe(true)
  expect(fitsField(null, { widget: 'integer' })).toBe(true)
  expect(fitsField('ten', { widget: 'text' })).toBe(true)
})
