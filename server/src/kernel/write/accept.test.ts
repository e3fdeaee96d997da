import { describe, expect, it } from 'vitest'
import { aConfiguration, aRecord, aWriteContext, refused } from '../../../../test/support/decisions.ts'
import { band, gig, singer } from '../../../../test/support/sample-resources.ts'
import { Refusal, violates } from '../errors/index.ts'
import { Lookup, type RecordState, type Resource, type SettleContext, type WriteContext } from '../record/index.ts'
import { type CustomFieldDefinition, type JsonObject, optionalText } from '../schema/index.ts'
import { statement } from '../sql/index.ts'
import { type Accepted, accept, underBase } from './decide.ts'
import { WorkingSet } from './working-set.ts'

const write = aWriteContext()
const before = aRecord(band, { name: 'Trio', country: 'US', founder: 'Ann' })

interface Given extends Partial<Accepted> {
  readonly write?: WriteContext
}

/** The next state of a band, new unless a previous one is given. */
function accepted(input: JsonObject, { write: context = write, ...given }: Given = {}) {
  const { resource = band, previous = null } = given
  const start = previous ?? aRecord(resource)
  const whole = previous === null ? { name: 'Trio', ...input } : input
  const all = { resource, previous, input: whole, links: new Map(), base: '', ...given }
  return accept(all, start, new WorkingSet(), context)
}

describe('a value of a request', () => {
  it('is stored, and the rest stays', () => {
    expect(accepted({ remark: 'Loud' }, { previous: before })).toEqual({ ...before, remark: 'Loud' })
  })

  it('is ignored where it is no field of the record', () => {
    expect(accepted({ expectedVersion: 1, fax: '1' }, { previous: before })).toEqual(before)
  })

  it('is brought into the form in which the field is kept', () => {
    const taken = accepted({ contactData: { emails: [{ value: 'a@example.com' }] } }, { previous: before })
    expect(taken).toMatchObject({ contactData: { phones: [], emails: [{ value: 'a@example.com', isPrimary: true }] } })
  })

  it('is refused with everything that is wrong, each at its place in the request', () => {
    const input = { customFields: { nothing: 1 }, contactData: { phones: [{ value: '1', type: 'work' }] } }
    const twice = { emails: [{ value: 'a@example.com' }, { value: 'A@example.com' }] }
    expect(refused(accepted({ ...input, contactData: twice }, { base: '/items/3' }))).toEqual([
      ...[422, 'validation_error'],
      ...['/items/3/customFields/nothing custom_field', '/items/3/contactData/emails/1 unique'],
    ])
  })
})

describe('a field that is set only on create', () => {
  it('is stored then', () => {
    expect(accepted({ country: 'US' })).toMatchObject({ country: 'US' })
  })

  it('may be repeated later, and not changed', () => {
    expect(accepted({ country: 'US' }, { previous: before })).toEqual(before)
    const result = accepted({ country: 'FR', founder: 'Bob' }, { previous: before, base: '/items/0' })
    expect(result).toBeInstanceOf(Refusal)
    expect(result).toMatchObject({
      status: 422,
      details: {
        issues: [
          { path: '/items/0/country', rule: 'read_only', message: 'Found a new one' },
          { path: '/items/0/founder', rule: 'read_only', message: 'Set only on create' },
        ],
      },
    })
  })
})

describe('a secret', () => {
  it('is kept encrypted for its record, and null as it is', () => {
    const remark = { ...optionalText({ max: 100 }), isSecret: true } as const
    const locked = { ...band, fields: { ...band.fields, remark } }
    const given = (value: string | null) => accepted({ remark: value }, { resource: locked, previous: before })
    expect(given('hush')).toMatchObject({ remark: `encrypted 4 of ${before.id}` })
    expect(given(null)).toMatchObject({ remark: null })
  })
})

describe('references', () => {
  it('are stored as the ids that they stand for', () => {
    const links: Accepted['links'] = new Map<string, readonly string[] | string>([
      ['fans', ['a', 'b']],
      ['leader', 'a'],
    ])
    const input = { fans: [{ externalId: 'x' }, { id: 'b' }], leader: { externalId: 'x' } }
    expect(accepted(input, { links })).toMatchObject({ fans: ['a', 'b'], leader: 'a' })
    expect(accepted({ leader: null }, { links: new Map([['leader', null]]) })).toMatchObject({ leader: null })
  })

  it('stand in a list once', () => {
    const links = new Map([['fans', ['a', 'b', 'a']]])
    expect(refused(accepted({ fans: [] }, { links, base: '/items/1' }))).toEqual([
      ...[422, 'validation_error', '/items/1/fans/2 unique'],
    ])
  })
})

describe('own fields that an organization requires', () => {
  const definition = (key: string, required: boolean): CustomFieldDefinition => ({
    kind: 'band',
    key,
    label: key,
    type: 'text',
    options: [],
    required,
  })
  const configuration = aConfiguration({
    customFields: new Map([['band', [definition('style', true), definition('x', false)]]]),
  })
  const asking = aWriteContext({ configuration })
  const missing = [422, 'validation_error', '/items/1/customFields/style required']

  it('are filled on create, and whenever own fields are sent', () => {
    const given = { write: asking, base: '/items/1' }
    expect(refused(accepted({ name: 'Trio' }, given))).toEqual(missing)
    expect(refused(accepted({ customFields: { x: 'y' } }, { ...given, previous: before }))).toEqual(missing)
    expect(accepted({ customFields: { style: 'jazz' } }, given)).toMatchObject({ customFields: { style: 'jazz' } })
  })

  it('are not required by other changes, nor from a caller who may not write them', () => {
    expect(accepted({ remark: 'Loud' }, { write: asking, previous: before })).toMatchObject({ remark: 'Loud' })
    expect(accepted({ name: 'Trio' }, { write: { ...asking, managesCustomFields: false } })).toMatchObject({
      name: 'Trio',
    })
  })

  it('are not required for kinds that have none', () => {
    const customFields = new Map([['singer', [definition('style', true)]]])
    const context = aWriteContext({ configuration: aConfiguration({ customFields }) })
    expect(accepted({ name: 'Nina' }, { resource: singer, write: context })).toMatchObject({ name: 'Nina' })
  })
})

describe('the rules of a kind', () => {
  const ruled = (settle: Resource['rules']['settle']): Resource => ({ ...band, rules: settle ? { settle } : {} })

  it('decide last, and name places in the record', () => {
    expect(accepted({ name: ' Trio ' })).toMatchObject({ name: 'Trio' })
    expect(refused(accepted({ name: 'forbidden' }, { base: '/items/2' }))).toEqual([
      ...[422, 'validation_error', '/items/2/name taste'],
    ])
  })

  it('do not run while a field is wrong', () => {
    const input = { name: 'forbidden', customFields: { nothing: 1 } }
    expect(refused(accepted(input))).toEqual([422, 'validation_error', '/customFields/nothing custom_field'])
  })

  it('are optional', () => {
    expect(accepted({ name: ' Trio ' }, { resource: ruled(undefined) })).toMatchObject({ name: ' Trio ' })
  })

  it('see the record before, the request, and loaded records', () => {
    const seen: SettleContext<RecordState>[] = []
    const resource = ruled((next, context) => {
      seen.push(context)
      return next
    })
    const work = new WorkingSet()
    work.load(resource, before)
    work.load(gig, aRecord(gig, { id: 'gig' }))
    const place = Lookup.rows(statement('place_of_gig', 'select'), [])
    work.loadRows(place, [{ position: 1 }])
    const input = { name: 'Quartet' }
    const parent = aRecord(singer)
    accept({ resource, previous: before, input, links: new Map(), base: '', parent }, before, work, write)
    const [context] = seen
    expect(context).toMatchObject({ previous: before, input, write, parent })
    expect(context?.read(place)).toEqual([{ position: 1 }])
    expect([...(context?.siblings() ?? [])]).toEqual([before])
    accept({ resource, previous: null, input, links: new Map(), base: '' }, before, work, write)
    expect(seen[1]).toMatchObject({ previous: null, parent: null })
  })
})

describe('a refusal of rules', () => {
  it('is the same deeper in the request', () => {
    const issues = [{ path: '/name', rule: 'taste', message: 'Not this one' }]
    const refusal = new Refusal(422, 'validation_error', { issues, reason: 'x' }, 'told')
    expect(underBase(refusal, '/items/0')).toEqual(
      new Refusal(
        ...([422, 'validation_error'] as const),
        { issues: [{ path: '/items/0/name', rule: 'taste', message: 'Not this one' }], reason: 'x' },
        'told',
      ),
    )
    expect(underBase(new Refusal(409, 'version_conflict'), '/a').details).toEqual({ issues: [] })
    expect(underBase(violates('/name', 'taste', 'Not this one'), '/a').message).toBe('/a/name: Not this one')
  })
})
