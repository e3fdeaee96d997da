import { describe, expect, it } from 'vitest'
import { refused } from '../../../../test/support/decisions.ts'
import { compileSchema, Refusal } from '../../kernel/schema/index.ts'
import { contactRules, displayName } from './contact.rules.ts'

const context = {
  now: '2026-03-02T10:00:00.000Z',
  organization: {
    id: 'o',
    name: 'Test',
    timeZone: 'UTC',
    defaultCurrency: 'USD',
    currencies: ['USD'],
    locale: 'en',
    country: 'US',
    crmProvider: 'built_in',
  },
}
const nobody = { firstName: null, middleName: null, lastName: null, jobTitle: null, anonymizedAt: null }
const shown = (members: Record<string, unknown>) =>
  displayName.present?.(null, { id: '0197e2a4-0000-7000-8000-000000000001', ...nobody, ...members }, context)['']

describe('displayName', () => {
  it.each([
    [{ firstName: 'Anna', middleName: 'Maria', lastName: 'Petrova', jobTitle: 'CFO' }, 'Petrova Anna Maria'],
    [{ firstName: 'Anna', lastName: 'Petrova' }, 'Petrova Anna'],
    [{ firstName: 'Anna' }, 'Anna'],
    [{ middleName: 'Maria' }, 'Maria'],
    [{ jobTitle: 'CFO' }, 'CFO'],
    [{}, 'Contact 0197e2a4'],
    [{ lastName: 'Petrova', anonymizedAt: '2026-03-02T10:00:00.000Z' }, 'Anonymized contact'],
  ])('of %j is %j', (members, name) => {
    expect(shown(members)).toBe(name)
  })

  it('has at most 300 code points and no half character', () => {
    const name = String(shown({ lastName: '𝒳'.repeat(100), firstName: '𝒴'.repeat(100), middleName: '𝒵'.repeat(100) }))
    expect([[...name].length, name.isWellFormed()]).toEqual([300, true])
  })

  it('is documented as a text of that length, with an example of one', () => {
    const inspect = compileSchema(displayName.output?.[''] ?? {})
    expect(['x'.repeat(300), 'x'.repeat(301), 1].map(value => inspect(value, '').length)).toEqual([0, 1, 1])
    expect(shown({ firstName: 'Anna', lastName: 'Petrova' })).toBe(displayName.example)
  })
})

const documented = compileSchema({ type: 'object', ...contactRules.documented.create })

const unreached = { phones: [], emails: [], addresses: [], messengers: [], birthDate: null }

describe('a contact', () => {
  it.each([
    [{ firstName: 'Anna' }, true],
    [{ lastName: 'Petrova' }, true],
    [{ contactData: { phones: [{ value: '+12025550143' }] } }, true],
    [{ contactData: { emails: [{ value: 'a@example.com' }] } }, true],
    [{}, false],
    [{ firstName: null, lastName: null, contactData: { phones: [], emails: [] } }, false],
    [{ middleName: 'Maria', jobTitle: 'CFO' }, false],
    [{ firstName: null, lastName: null, contactData: { phones: [], emails: [{ value: 'a@example.com' }] } }, true],
    [{ contactData: { messengers: [{ type: 'viber', value: 'a' }] } }, false],
  ])('with %j can be created: %s, and the document says so', (input, possible) => {
    expect(contactRules.inspectCreate(input).length === 0).toBe(possible)
    expect(documented(input, '').length === 0).toBe(possible)
  })

  it('without a name, phone and e-mail is refused at its last name', () => {
    expect(contactRules.inspectCreate({})).toEqual([
      { path: '/lastName', rule: 'required', message: 'One of firstName, lastName, a phone or an e-mail is needed' },
    ])
  })

  it('keeps a name, a phone or an e-mail', () => {
    const settle = (members: object) => contactRules.settle({ ...nobody, contactData: unreached, ...members })
    expect(refused(settle({}))).toEqual([422, 'validation_error', '/lastName required'])
    expect(settle({ lastName: 'Petrova' })).toMatchObject({ lastName: 'Petrova' })
    expect(settle({ contactData: { ...unreached, phones: [{ value: '1' }] } }) instanceof Refusal).toBe(false)
    expect(settle({ firstName: 'Anna' }) instanceof Refusal).toBe(false)
    expect(settle({ contactData: { ...unreached, emails: [{ value: 'a@example.com' }] } }) instanceof Refusal).toBe(
      false,
    )
  })

  it('may be mentioned by its names in either order, or with all of them', () => {
    const mentioned = (members: object) => displayName.mentionedAs?.(null, { ...nobody, ...members })
    expect(mentioned({ firstName: 'Anna', middleName: 'Maria', lastName: 'Petrova' })).toEqual([
      'Anna Petrova',
      'Petrova Anna',
      'Anna Maria Petrova',
    ])
    expect(new Set(mentioned({ lastName: 'Petrova' }))).toEqual(new Set(['Petrova']))
  })
})
