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
  const columns = columnMapOf(['externalId', ...Object.keys(cells)], { maps: [] }, shape)
  if (typeof columns === 'string') throw new Error(columns)
  const row = new Map([['externalId', 'A'], ...Object.entries(cells)])
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
  test('of a part of a list element leaves the place out', () => {
    const cells = {
      'contactData.emails[0].value': '',
      'contactData.emails[0].label': 'work',
      'contactData.emails[1].value': 'a@b',
    }
    expect(recordOf('contacts', cells)).toEqual({ contactData: { emails: [{ value: 'a@b' }] } })
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

test('values of JSON are sent as they are', () => {
  const cells = { firstName: 7, contactData: { emails: [] }, jobTitle: null, description: '' }
  expect(recordOf('contacts', cells, { areTexts: false })).toEqual(cells)
})
