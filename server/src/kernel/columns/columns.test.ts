import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../../../../test/support/decisions.ts'
import { nestedResources, resources } from '../../modules.ts'
import type { Resource } from '../record/index.ts'
import { type CustomFieldDefinition, joinTexts, splitTexts } from '../schema/index.ts'
import { fileColumnsOf, filedLinksOf, filedNestedLinks, type RecordColumn } from './index.ts'

const option = (key: string, label: string) => ({ key, label })
const definition = (key: string, type: CustomFieldDefinition['type']): CustomFieldDefinition => {
  const options = [option('north', 'North side'), option('south', 'South side')]
  return { kind: 'contact', key, label: `The ${key}`, type, options, required: false }
}
const customFields = [
  definition('area', 'select'),
  definition('areas', 'multiselect'),
  definition('vip', 'boolean'),
  definition('size', 'number'),
  definition('constructor', 'text'),
]
const configuration = aConfiguration({ customFields: new Map([['contact', customFields]]) })
const tags = new Map([
  ['t1', 'Key account'],
  ['t2', 'a;b\\c'],
])

function kindOf(kind: string): Resource {
  const found = [...resources, ...nestedResources].find(resource => resource.kind === kind)
  if (found === undefined) throw new Error(`there is no kind ${kind}`)
  return found
}

const columnsOf = (kind: string) => fileColumnsOf(kindOf(kind), { configuration, tags })
const keysOf = (columns: readonly RecordColumn[]) => columns.map(({ key }) => key).join(' ')

function columnOf(key: string, kind = 'contact'): RecordColumn {
  const found = columnsOf(kind).find(column => column.key === key)
  if (found === undefined) throw new Error(`there is no column ${key}`)
  return found
}

const address =
  'address.country address.region address.city address.postalCode address.line1 address.line2 address.label'
const reached = `phone1 phone2 phone3 email1 email2 email3 ${address}`

describe('the columns of files', () => {
  it('are the keys by which imports take values', () => {
    expect(keysOf(columnsOf('contact'))).toBe(
      'uuid externalId firstName middleName lastName jobTitle description source ownerUuid ' +
        `${reached} birthDate custom.area custom.areas custom.vip custom.size custom.constructor tags`,
    )
    expect(keysOf(columnsOf('company'))).toBe(
      'uuid externalId name legalName taxId registrationNumber industry employeesCount website1 website2 website3 ' +
        `description source ownerUuid ${reached} tags`,
    )
  })

  it('of deals also have the values that the server computes', () => {
    expect(keysOf(columnsOf('deal'))).toBe(
      'uuid externalId kind title description amount currency itemsTotal priority ownerUuid expectedCloseDate pipelineId ' +
        'stageUuid status lostReasonCategoryUuid lostReasonComment stageChangedAt closedAt tags',
    )
    expect(columnOf('status', 'deal').path).toBeNull()
  })

  it('of links name both sides', () => {
    const nested = filedNestedLinks(kindOf('company_contact'))
    expect([nested.owner.kind, nested.targetKind]).toEqual(['company', 'contact'])
    expect(keysOf(nested.columns)).toBe('companyUuid contactUuid role isPrimary')
    const links = filedLinksOf(kindOf('deal'), 'companies')
    expect([links.owner.kind, links.targetKind]).toEqual(['deal', 'company'])
    expect(keysOf(links.columns)).toBe('dealUuid companyUuid isPrimary')
  })

  it('have a path in a request, guards and a label', () => {
    expect(columnOf('phone2')).toMatchObject({
      label: 'Phone 2',
      type: 'phone',
      path: ['contactData', 'phones', 1, 'value'],
      projection: 'contact_data',
      writeScope: 'crm_contact_data_write',
    })
    expect(columnOf('address.postalCode')).toMatchObject({ label: 'Address postal code' })
    expect(columnOf('custom.area')).toMatchObject({
      label: 'The area',
      type: 'choice',
      path: ['customFields', 'area'],
      options: [option('north', 'North side'), option('south', 'South side')],
      projection: 'custom_fields',
    })
    expect(columnOf('uuid')).toMatchObject({ path: null, type: 'uuid', label: 'UUID' })
    expect(columnOf('ownerUuid').label).toBe('Owner UUID')
    expect(columnOf('priority', 'deal').options?.map(({ key }) => key)).toEqual(['low', 'medium', 'high', 'urgent'])
    expect(columnOf('employeesCount', 'company').type).toBe('integer')
    expect(columnOf('expectedCloseDate', 'deal').type).toBe('date')
    expect(columnOf('closedAt', 'deal').type).toBe('datetime')
  })
})

describe('the text of a record', () => {
  const contactData = {
    phones: [{ value: '+1' }, { value: '+2', isPrimary: true }, { value: '+3' }],
    emails: [],
    addresses: [{ city: 'Boston', label: null }],
    birthDate: '1990-02-03',
  }
  const record = {
    id: 'r1',
    externalId: null,
    firstName: 'Anna',
    contactData,
    customFields: { area: 'north', areas: ['south', 'north'], vip: false, size: '12.5' },
    tagIds: ['t2', 't1', 'gone'],
  }
  const textOf = (key: string) => columnOf(key).text(record)

  it('is that of the value, and empty where there is none', () => {
    expect(['uuid', 'externalId', 'firstName', 'birthDate'].map(textOf)).toEqual(['r1', '', 'Anna', '1990-02-03'])
  })

  it('has the primary phone first', () => {
    expect(['phone1', 'phone2', 'phone3', 'email1'].map(textOf)).toEqual(['+2', '+1', '+3', ''])
    expect(['address.city', 'address.label', 'address.region'].map(textOf)).toEqual(['Boston', '', ''])
  })

  it('contains custom fields and tags', () => {
    const keys = ['custom.area', 'custom.areas', 'custom.vip', 'custom.size', 'tags']
    expect(keys.map(textOf)).toEqual(['north', 'south;north', 'false', '12.5', 'Key account;a\\;b\\\\c'])
    expect(textOf('custom.constructor')).toBe('')
  })

  it('has the digits of the currency', () => {
    const yen = { currency: 'JPY', amount: '1500', itemsTotal: '0' }
    const amount = columnOf('amount', 'deal')
    expect([yen, { ...yen, currency: null }, { amount: null }].map(amount.text)).toEqual(['1500', '1500.00', ''])
    expect(columnOf('itemsTotal', 'deal').text({ ...yen, currency: 'USD' })).toBe('0.00')
  })
})

describe('the value of a text', () => {
  it.each<[key: string, text: string, value: unknown]>([
    ['firstName', ' Anna ', ' Anna '],
    ['phone1', ' +1 202 ', '+1 202'],
    ['custom.vip', 'YES', true],
    ['custom.vip', '0', false],
    ['custom.vip', 'perhaps', undefined],
    ['custom.area', 'north side', 'north'],
    ['custom.area', 'South', undefined],
    ['custom.areas', 'south; North side', ['south', 'north']],
    ['custom.areas', 'south;east', undefined],
    ['tags', 'key ACCOUNT;a\\;b\\\\c', ['t1', 't2']],
    ['tags', 'nothing', undefined],
  ])('%s: %s', (key, text, value) => {
    expect(columnOf(key).parse(text)).toEqual(value)
  })

  it('is a whole number, or one of the words of a field', () => {
    const count = columnOf('employeesCount', 'company')
    expect(['250', ' 7 ', '1e3', '2.5'].map(count.parse)).toEqual([250, 7, undefined, undefined])
    expect(['High', 'none'].map(columnOf('priority', 'deal').parse)).toEqual(['high', undefined])
  })
})

describe('several texts in one', () => {
  it.each([[[]], [['a']], [['a;b', '\\', 'c\\;']]])('come apart again: %j', texts => {
    expect(splitTexts(joinTexts(texts))).toEqual(texts)
  })

  it('may have spaces between them, and nothing', () => {
    expect(splitTexts(' a ; b;;')).toEqual(['a', 'b'])
  })
})
