import { describe, expect, it } from 'vitest'
import { contact } from '../../../crm/contacts/index.ts'
import { deal } from '../../../crm/deals/index.ts'
import type { JsonObject } from '../../schema/index.ts'
import { restorableFields } from './restorable-fields.ts'

const head = {
  id: 'c',
  externalId: null,
  version: 3,
  createdAt: '',
  updatedAt: '',
  createdByApplicationId: null,
  createdByUuid: null,
  updatedByUuid: null,
}

const ofContact = (values: JsonObject, ...changes: JsonObject[]) =>
  restorableFields(contact, { ...head, ...contact.codec.initial, ...values }, values, { changes })

describe('a field', () => {
  it('gets its former value if it holds what the step has left', () => {
    const change = { field: 'firstName', before: 'Anna', after: 'Olga' }
    expect(ofContact({ firstName: 'Olga' }, change)).toMatchObject({ input: { firstName: 'Anna' }, changed: [] })
    expect(ofContact({ firstName: 'Alla' }, change)).toMatchObject({ input: {}, changed: ['firstName'] })
  })

  it('is compared member by member if it is an object', () => {
    const change = { field: 'customFields', before: { a: '1', b: '1' }, after: { a: '2', b: '2', c: '2', d: '2' } }
    const now = { customFields: { a: '2', b: '3', c: '2' } }
    expect(ofContact(now, change)).toMatchObject({
      input: { customFields: { a: '1', c: null } },
      changed: ['customFields.b', 'customFields.d'],
    })
  })

  it('loses the tags that the step has added, and keeps those that were added since', () => {
    const change = { field: 'tags', before: ['x'], after: ['x', 'y'] }
    const listsOf = (tagIds: string[]) => ofContact({ tagIds }, change).lists.get('tagIds')
    expect(listsOf(['x', 'y'])).toEqual(['x'])
    expect(listsOf(['x', 'y', 'z'])).toEqual(['x', 'z'])
    expect(listsOf(['z'])).toEqual(['z'])
  })

  it('stays if its former value was erased', () => {
    expect(ofContact({ firstName: null }, { field: 'firstName', redacted: true })).toEqual({
      input: {},
      lists: new Map(),
      changed: [],
    })
  })
})

describe('a list of links', () => {
  const links = (...ids: string[]) => ids.map((contactId, index) => ({ contactId, isPrimary: index === 0 }))
  const of = (contacts: string[], before: JsonObject[], after: JsonObject[]) =>
    restorableFields(deal, { ...head, contacts }, {}, { changes: [{ field: 'contacts', before, after }] })

  it('is as before, in its order, if it is what the step has left', () => {
    const { lists } = of(['b', 'a', 'c'], links('a', 'b'), links('b', 'a', 'c'))
    expect(lists.get('contacts')).toEqual(['a', 'b'])
  })

  it('loses what the step has added, in its present order', () => {
    expect(of(['d', 'c', 'a'], links('a'), links('c', 'a')).lists.get('contacts')).toEqual(['d', 'a'])
  })

  it('stays in its order if only that was changed, and changed again since', () => {
    expect(of(['c', 'b', 'a'], links('a', 'b', 'c'), links('b', 'a', 'c'))).toMatchObject({ changed: ['contacts'] })
  })
})
