import { describe, expect, test } from 'vitest'
import { rowShapes } from '../generated/row-shapes.ts'
import { columnMapOf } from './column-map.rules.ts'
import { withCustomFields } from './shape.ts'

const contacts = withCustomFields(rowShapes.contacts, 'contact', [
  { kind: 'contact', key: 'region', type: 'select' },
  { kind: 'deal', key: 'margin', type: 'number' },
])

const mapOf = (columns: readonly string[], maps: readonly string[] = [], key?: string) => {
  const map = columnMapOf(columns, { maps, key }, contacts)
  return typeof map === 'string' ? map : Object.fromEntries([...map].map(([column, { path }]) => [column, path]))
}

describe('a column', () => {
  test('with the name of a field needs no map', () => {
    const columns = ['externalId', 'firstName', 'contactData.phones[1].label', 'customFields.region']
    expect(mapOf(columns)).toEqual(Object.fromEntries(columns.map(column => [column, column])))
  })

  test('is mapped by what follows the last equals sign', () => {
    expect(mapOf(['No', 'a=b'], ['a=b=lastName'], 'No')).toEqual({ No: 'externalId', 'a=b': 'lastName' })
  })

  test('of a file of failures is passed over', () => {
    expect(mapOf(['error_line', 'error_code', 'error_message', 'externalId'])).toEqual({ externalId: 'externalId' })
  })

  test.each([
    [
      'a custom field of another kind',
      ['customFields.margin'],
      [],
      'no field has the name of the column "customFields.margin"',
    ],
    [
      'a place that a list never has',
      ['X'],
      ['X=contactData.emails[20].value'],
      'contactData.emails has at most 20 elements, and the first is [0]',
    ],
    ['a part of a field that another column goes to', ['contactData', 'contactData.birthDate'], [], 'both go to'],
    ['a member that every object has', ['X'], ['X=constructor'], 'there is no field constructor'],
    ['a map without a column', ['X'], ['=firstName'], '--map is COLUMN=FIELD, not "=firstName"'],
    ['two maps', ['X'], ['X=firstName', 'X=lastName'], 'the column "X" is mapped twice'],
  ])('with %s is refused', (_, columns, maps, said) => {
    expect(mapOf(['externalId', ...columns], maps)).toContain(said)
  })
})
