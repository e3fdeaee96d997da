import { describe, expect, it } from 'vitest'
import { aConfiguration, aRecord } from '../../../../../test/support/decisions.ts'
import { band } from '../../../../../test/support/sample-resources.ts'
import type { CustomFieldDefinition } from '../../schema/index.ts'
import { isMergedField, mergedParts, mergedValues } from './merged-fields.ts'

const definition = (key: string, type: CustomFieldDefinition['type']): CustomFieldDefinition => ({
  kind: 'band',
  key,
  label: key,
  type,
  options: [],
  required: false,
})
const configuration = aConfiguration({
  customFields: new Map([['band', [definition('style', 'text'), definition('labels', 'multiselect')]]]),
})

type Members = Readonly<Record<string, unknown>>

const parts = (one: Members, other: Members) =>
  mergedParts(band, aRecord(band, one), aRecord(band, other), configuration)

/** The result for one field. */
function part(field: string, one: Members, other: Members) {
  const found = parts(one, other).find(each => each.field === field)
  if (found === undefined) return undefined
  const { outcome, changes, merged } = found
  return { outcome, changes, merged }
}

describe('a value of two records', () => {
  it.each([
    ['a', 'a', { outcome: 'same', changes: false, merged: 'a' }],
    ['a', null, { outcome: 'primary', changes: false, merged: 'a' }],
    ['a', '', { outcome: 'primary', changes: false, merged: 'a' }],
    [null, 'b', { outcome: 'secondary', changes: true, merged: 'b' }],
    ['', 'b', { outcome: 'secondary', changes: true, merged: 'b' }],
    [null, '', { outcome: 'same', changes: false, merged: null }],
    ['a', 'b', { outcome: 'conflict', changes: true, merged: 'a' }],
  ])('%j beside %j is %j', (one, other, expected) => {
    expect(part('remark', { remark: one }, { remark: other })).toEqual(expected)
  })

  it('is shown with both, and without a limit where it is no list', () => {
    const found = parts({ remark: 'a' }, {}).find(({ field }) => field === 'remark')
    expect(found).toMatchObject({ declared: 'remark', member: null, isDeclared: true, isList: false })
    expect(found).toMatchObject({ primaryValue: 'a', secondaryValue: null, most: null })
  })

  it('exists for each member that a request can set, and for none that the server computes', () => {
    const fields = parts({}, {}).map(({ field }) => field)
    expect(fields).toEqual([
      ...['name', 'country', 'founder', 'remark'],
      ...['contactData.phones', 'contactData.emails', 'contactData.addresses', 'contactData.messengers'],
      ...['customFields.style', 'customFields.labels', 'tagIds', 'fans', 'leader', 'rival'],
    ])
  })
})

describe('two lists', () => {
  it('become one: the items of the primary, then what only the secondary has', () => {
    expect(part('fans', { fans: ['b', 'c'] }, { fans: ['c', 'a'] })).toEqual({
      outcome: 'union',
      changes: true,
      merged: ['b', 'c', 'a'],
    })
  })

  it('change nothing where the secondary has no other items', () => {
    expect(part('fans', { fans: ['b', 'c'] }, { fans: ['c'] })).toEqual({
      outcome: 'union',
      changes: false,
      merged: ['b', 'c'],
    })
  })

  it('are empty on one side or both like any value', () => {
    expect(part('fans', { fans: [] }, { fans: [] })).toMatchObject({ outcome: 'same' })
    expect(part('fans', { fans: ['a'] }, { fans: [] })).toMatchObject({ outcome: 'primary' })
    expect(part('fans', { fans: [] }, { fans: ['a'] })).toMatchObject({ outcome: 'secondary', merged: ['a'] })
  })

  it('are a choice where the kind does not say how to unite them, and so is a list beside a text', () => {
    expect(part('remark', { remark: ['a'] }, { remark: ['b'] })).toMatchObject({ outcome: 'conflict', merged: ['a'] })
    expect(part('fans', { fans: ['a'] }, { fans: 'b' })).toMatchObject({ outcome: 'conflict' })
    expect(part('fans', { fans: 'a' }, { fans: ['b'] })).toMatchObject({ outcome: 'conflict' })
  })

  it('that are sets stay in order', () => {
    expect(part('tagIds', { tagIds: ['b', 'd'] }, { tagIds: ['a', 'c', 'b'] })).toMatchObject({
      merged: ['a', 'b', 'c', 'd'],
    })
  })

  it('know how long they may be, and that they are lists', () => {
    const found = new Map(parts({}, {}).map(({ field, most, isList }) => [field, [isList, most]]))
    expect(found.get('fans')).toEqual([true, 3])
    expect(found.get('tagIds')).toEqual([true, 100])
    expect(found.get('contactData.phones')).toEqual([true, 20])
    expect(found.get('remark')).toEqual([false, null])
  })

  it('have one primary item: that of the primary record', () => {
    const phones = (value: string) => ({
      contactData: { phones: [{ value, e164: value, isPrimary: true }], emails: [] },
    })
    expect(part('contactData.phones', phones('+12025550143'), phones('+12025550144'))?.merged).toMatchObject([
      { value: '+12025550143', isPrimary: true },
      { value: '+12025550144', isPrimary: false },
    ])
  })
})

describe('own fields of an organization', () => {
  it('are merged one by one', () => {
    const [one, other] = [{ style: 'jazz' }, { style: 'blues', labels: ['x'] }].map(customFields => ({ customFields }))
    expect(part('customFields.style', one ?? {}, other ?? {})).toMatchObject({ outcome: 'conflict', merged: 'jazz' })
    expect(part('customFields.labels', one ?? {}, other ?? {})).toMatchObject({ outcome: 'secondary', merged: ['x'] })
  })

  it('are lists where several options can be chosen', () => {
    const [one, other] = [['x'], ['y']].map(labels => ({ customFields: { labels } }))
    expect(part('customFields.labels', one ?? {}, other ?? {})).toMatchObject({ outcome: 'union', merged: ['x', 'y'] })
    expect(parts({}, {}).filter(({ declared, isList }) => declared === 'customFields' && isList)).toMatchObject([
      { member: 'labels', isDeclared: true },
    ])
  })

  it('that are configured no longer are there while a record has a value', () => {
    const found = parts({ customFields: { old: 1 } }, { customFields: { older: 2 } })
    expect(found.filter(({ declared }) => declared === 'customFields')).toMatchObject([
      { field: 'customFields.style', isDeclared: true },
      { field: 'customFields.labels', isDeclared: true },
      { field: 'customFields.old', member: 'old', isDeclared: false, isList: false, outcome: 'primary' },
      { field: 'customFields.older', member: 'older', isDeclared: false, outcome: 'secondary' },
    ])
  })

  it('may be called like what every object has', () => {
    const found = part('customFields.constructor', { customFields: { constructor: 'x' } }, { customFields: {} })
    expect(found).toEqual({ outcome: 'primary', changes: false, merged: 'x' })
  })

  it('are absent where the value is no object', () => {
    expect(part('customFields.style', { customFields: null }, { customFields: { style: 'jazz' } })).toMatchObject({
      outcome: 'secondary',
    })
  })
})

describe('the values of the merged record', () => {
  const values = (one: Members, other: Members, resolutions: Readonly<Record<string, string>> = {}) =>
    mergedValues(aRecord(band, one), parts(one, other), resolutions)

  it('are only those that change', () => {
    expect(values({ name: 'a', remark: 'r' }, { name: 'a', country: 'US' })).toEqual({ country: 'US' })
  })

  it('of a conflict are those of the chosen side', () => {
    expect(values({ name: 'a' }, { name: 'b' }, { name: 'secondary' })).toEqual({ name: 'b' })
    expect(values({ name: 'a' }, { name: 'b' }, { name: 'primary' })).toEqual({})
    expect(values({ name: 'a' }, { name: 'b' })).toEqual({})
  })

  it('keep the other members of an object, and every member that changes', () => {
    const one = { customFields: { kept: 1, style: 'jazz' } }
    const other = { customFields: { style: 'blues', labels: ['x'] } }
    expect(values(one, other, { 'customFields.style': 'secondary' })).toEqual({
      customFields: { kept: 1, style: 'blues', labels: ['x'] },
    })
    expect(values({ customFields: null }, other)).toEqual({ customFields: { style: 'blues', labels: ['x'] } })
  })
})

describe('the name of a field that can be merged', () => {
  it.each(['name', 'tagIds', 'contactData.phones', 'customFields.style', 'customFields.unknown'])('is %j', name => {
    expect(isMergedField(band, name)).toBe(true)
  })

  it.each([
    ...['', 'nothing', 'secret', 'gigs', 'constructor', 'name.first', 'contactData'],
    ...['contactData.fax', 'contactData.phones.0', 'contactData.pho.nes', 'customFields.', 'customFields.a.b'],
  ])('is not %j', name => {
    expect(isMergedField(band, name)).toBe(false)
  })
})
