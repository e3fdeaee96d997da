import { describe, expect, test } from 'vitest'
import { rowShapes } from '../generated/row-shapes.ts'
import { columnMapOf } from './column-map.rules.ts'
import { recordOfRow } from './record-of-row.rules.ts'
import { type RowKind, withCustomFields } from './shape.ts'

const fields = ['text', 'number', 'boolean', 'multiselect'].map(type => ({ kind: 'any', key: type, type }))

function recordOf(
  kind: RowKind,
  cells: Readonly<Record<string, unknown>>,
  given: { clearsEmpty?: boolean; areTexts?: boolean } = {},
) {
  const shape = withCustomFields(rowShapes[kind], 'any', fields)
  const columns = columnMapOf([...new Set(['externalId', ...Object.keys(cells)])], { maps: [] }, shape)
  if (typeof columns === 'string') throw new Error(columns)
  const row = new Map<string, unknown>([['externalId', 'A'], ...Object.entries(cells)])
  const record = recordOfRow(row, { columns, shape, areTexts: true, clearsEmpty: false, ...given })
  if (typeof record === 'string') return record
  const { externalId: _, ...others } = record
  return others
}

describe('a cell', () => {
  test.each([
    [' 12 ', { employeesCount: 12 }],
    ['0012', { employeesCount: 12 }],
    ['1.5', 'the column "employeesCount" has "1.5", and employeesCount is a whole number'],
    ['', {}],
  ])('"%s" of a whole number gives %j', (cell, record) => {
    expect(recordOf('companies', { employeesCount: cell })).toEqual(record)
  })

  test.each([
    ['YES', { customFields: { boolean: true } }],
    ['0', { customFields: { boolean: false } }],
    ['maybe', 'the column "customFields.boolean" has "maybe", and customFields.boolean is true or false'],
  ])('"%s" of yes and no gives %j', (cell, record) => {
    expect(recordOf('contacts', { 'customFields.boolean': cell })).toEqual(record)
  })

  test('of an amount or a custom number stays a text, and that of several options becomes a list', () => {
    expect(
      recordOf('deals', { amount: '1500.00', 'customFields.number': '12.5', 'customFields.multiselect': 'a; b' }),
    ).toEqual({
      amount: '1500.00',
      customFields: { number: '12.5', multiselect: ['a', 'b'] },
    })
  })

  test('of a field with parts has to be mapped to one of them', () => {
    expect(recordOf('tasks', { contact: 'A' })).toBe(
      'the column "contact" has "A", and contact has parts: map a column to each of them',
    )
  })
})

describe('an empty cell', () => {
  const [first, label, second] = [
    'contactData.emails[0].value',
    'contactData.emails[0].label',
    'contactData.emails[1].value',
  ] as const

  test.each([
    [{ [first]: '', [second]: 'a@b' }],
    [{ [first]: '', [label]: 'work', [second]: 'a@b' }],
    [{ [second]: 'a@b' }],
  ])('before a filled element of its list is refused, unless it takes values away: %j', cells => {
    expect(recordOf('contacts', cells)).toContain('contactData.emails[0] is empty, and a later element is not')
    const record = { contactData: { emails: [{ value: 'a@b' }] } }
    expect(recordOf('contacts', cells, { clearsEmpty: true })).toEqual(record)
  })

  test('leaves a list alone of which nothing else is filled, but a label of no address', () => {
    expect(recordOf('contacts', { [first]: '', [label]: 'work', jobTitle: 'Buyer' })).toEqual({ jobTitle: 'Buyer' })
    expect(recordOf('contacts', { [first]: '', [label]: 'work' }, { clearsEmpty: true })).toEqual({
      contactData: { emails: [] },
    })
  })

  test('takes the value away if it may: null for a field, no element for a list, no reference', () => {
    const clearsEmpty = { clearsEmpty: true }
    expect(
      recordOf(
        'contacts',
        { jobTitle: '', 'contactData.emails[0].value': '', 'contactData.birthDate': '' },
        clearsEmpty,
      ),
    ).toEqual({
      jobTitle: null,
      contactData: { emails: [], birthDate: null },
    })
    expect(recordOf('tasks', { 'contact.externalId': '', 'customFields.text': '' }, clearsEmpty)).toEqual({
      contact: null,
      customFields: { text: null },
    })
    expect(recordOf('tasks', { title: ' ' }, clearsEmpty)).toBe(
      'the column "title" is empty, and title cannot be taken away',
    )
  })
})

test.each([
  [17, 'is 17, and it has to be a text'],
  [null, 'is empty'],
  ['', 'is empty'],
])('the key %j is refused', (externalId, said) => {
  expect(recordOf('contacts', { externalId }, { areTexts: false })).toBe(`the key of the record, externalId, ${said}`)
})

test('values of JSON are sent as they are', () => {
  const cells = { firstName: 7, contactData: { emails: [] }, jobTitle: null, description: '' }
  expect(recordOf('contacts', cells, { areTexts: false })).toEqual(cells)
})
