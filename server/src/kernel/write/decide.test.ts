import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext, refused } from '../../../../test/support/decisions.ts'
import { band, singer } from '../../../../test/support/sample-resources.ts'
import { Refusal } from '../errors/index.ts'
import type { RecordState, Resource } from '../record/index.ts'
import { isUuid, type JsonObject } from '../schema/index.ts'
import type { Row } from '../sql/index.ts'
import { decideCreate, decideUpdate, raised, type Step, stepTo } from './decide.ts'
import { decideUpsert } from './decide-upsert.ts'
import { needRoom } from './limits-of-kind.ts'
import { Needs } from './needs.ts'
import { type KeyMapping, WorkingSet } from './working-set.ts'

const write = aWriteContext({ author: { type: 'user', uuid: 'operator', jobId: null } })
const trio = aRecord(band, { id: 'trio', externalId: 'k', name: 'Trio', version: 3 })

interface Loaded {
  readonly bands?: readonly RecordState[]
  readonly singers?: Readonly<Record<string, 'there' | 'anonymized'>>
  readonly keys?: Readonly<Record<string, KeyMapping>>
}

function loaded({ bands = [trio], singers = {}, keys = {} }: Loaded = {}): WorkingSet {
  const work = new WorkingSet()
  for (const record of bands) work.load(band, record)
  for (const [id, state] of Object.entries(singers)) work.loadReferred('singer', id, state === 'anonymized')
  for (const [key, mapping] of Object.entries(keys)) work.loadKey('band', key, mapping)
  return work
}

const live = (resourceId: string): KeyMapping => ({ state: 'live', resourceId })
const gone: KeyMapping = { state: 'gone', resourceId: 'old', reason: 'deleted' }

const create = (input: JsonObject, given: Loaded = {}) => decideCreate(band, input, '/items/0', loaded(given), write)
const update = (input: JsonObject, given: Loaded = {}) =>
  decideUpdate(band, 'trio', { expectedVersion: 3, ...input }, '/items/0', loaded(given), write)
const upsert = (input: JsonObject, given: Loaded = {}) =>
  decideUpsert(band, { externalId: 'k', ...input }, '/items/0', loaded(given), write)

/** Bands that can be anonymized. */
const erasable = { ...band, roles: { ...band.roles, anonymizedAt: 'anonymizedAt' } }

const detailsOf = (result: Step | Refusal) => (result instanceof Refusal ? result.details : null)

const unknown = { leader: { id: 'nobody' } }
const missingReference = [404, 'not_found']
const anonymized = { leader: { id: 'nina' } }
const goneReference = [410, 'resource_deleted']
const withNina = { singers: { nina: 'anonymized' } } as const

describe('a create', () => {
  it('makes the first version, by the caller, now', () => {
    const result = create({ name: 'Duo', externalId: 'new' })
    if (result instanceof Refusal) throw new Error(result.message)
    const { status, record, effect } = result
    expect([status, isUuid(record.id)]).toEqual([201, true])
    expect(record).toEqual({
      ...aRecord(band),
      id: record.id,
      externalId: 'new',
      name: 'Duo',
      version: 1,
      createdAt: write.now,
      updatedAt: write.now,
      createdByApplicationId: 'application',
      createdByUuid: 'operator',
      updatedByUuid: 'operator',
    })
    expect(effect).toEqual({ resource: band, before: null, after: record })
  })

  it('needs no key', () => {
    expect(create({ name: 'Duo' })).toMatchObject({ record: { externalId: null } })
  })

  it('needs every required field', () => {
    expect(refused(create({ remark: 'Loud' }))).toEqual([422, 'validation_error', '/items/0/name required'])
  })

  it('is refused where the key is taken, and names the record that has it with its version', () => {
    const taken = create({ name: 'Duo', externalId: 'k' }, { keys: { k: live('trio') } })
    expect(refused(taken)).toEqual([409, 'external_id_conflict'])
    expect(detailsOf(taken)).toEqual({ existingId: 'trio', currentVersion: 3 })
    const elsewhere = create({ name: 'Duo', externalId: 'k' }, { keys: { k: live('other') } })
    expect(detailsOf(elsewhere)).toEqual({ existingId: 'other', currentVersion: null })
  })

  it('is refused where the key was that of a removed record', () => {
    const result = create({ name: 'Duo', externalId: 'k' }, { keys: { k: gone } })
    expect(refused(result)).toEqual([410, 'external_reference_deleted'])
  })

  it('is refused by references first, then by the key, then by missing fields, then by rules', () => {
    const keys = { k: live('trio') }
    expect(refused(create({ ...unknown, externalId: 'k' }, { keys }))).toEqual(missingReference)
    expect(refused(create({ externalId: 'k' }, { keys }))).toEqual([409, 'external_id_conflict'])
    expect(refused(create({ name: 'forbidden' }))).toEqual([422, 'validation_error', '/items/0/name taste'])
  })

  it('names the place of a reference that leads nowhere', () => {
    expect(detailsOf(create({ ...unknown, name: 'Duo' }))).toEqual({ path: '/items/0/leader' })
  })
})

describe('an update', () => {
  it('makes the next version, by the caller, now', () => {
    const result = update({ remark: 'Loud' })
    const after = { ...trio, remark: 'Loud', version: 4, updatedAt: write.now, updatedByUuid: 'operator' }
    expect(result).toEqual({ status: 200, record: after, effect: { resource: band, before: trio, after } })
  })

  it('that changes nothing makes none', () => {
    expect(update({ name: 'Trio' })).toEqual({ status: 200, record: trio, effect: null })
  })

  it('gives a key, takes one away, or leaves it', () => {
    expect(update({ externalId: 'new' })).toMatchObject({ record: { externalId: 'new' } })
    expect(update({ externalId: null })).toMatchObject({ record: { externalId: null } })
    expect(update({ externalId: null }, { keys: { null: live('other') } })).toMatchObject({ status: 200 })
    expect(update({ remark: 'Loud' })).toMatchObject({ record: { externalId: 'k' } })
    expect(update({ externalId: 'k', remark: 'Loud' }, { keys: { k: live('trio') } })).toMatchObject({ status: 200 })
  })

  it('compares the version', () => {
    const result = update({ expectedVersion: 2 })
    expect(refused(result)).toEqual([409, 'version_conflict'])
    expect(detailsOf(result)).toEqual({ currentVersion: 3 })
  })

  it('may repeat the reference to a person who was anonymized meanwhile', () => {
    const led = { ...trio, leader: 'nina' }
    expect(update(anonymized, { ...withNina, bands: [led] })).toMatchObject({ effect: null })
  })

  it('is refused by the first gate that does not let it pass', () => {
    const person = { ...trio, anonymizedAt: '2026-03-01T00:00:00.000Z' }
    const stale = { expectedVersion: 2 }
    const keys = { g: gone, t: live('other') }
    expect(refused(update(unknown, { bands: [] }))).toEqual([404, 'not_found'])
    expect(detailsOf(update(unknown, { bands: [] }))).toEqual({})
    const updatePerson = (input: JsonObject) =>
      decideUpdate(
        erasable,
        'trio',
        { expectedVersion: 3, ...input },
        '/items/0',
        loaded({ ...withNina, bands: [person] }),
        write,
      )
    expect(detailsOf(updatePerson(unknown))).toEqual({ path: '/items/0/leader' })
    expect(detailsOf(updatePerson(anonymized))).toEqual({})
    expect(refused(update({ ...anonymized, ...stale }, withNina))).toEqual(goneReference)
    expect(refused(update({ externalId: 'g', ...stale }, { keys }))).toEqual([410, 'external_reference_deleted'])
    expect(refused(update({ externalId: 't', ...stale }, { keys }))).toEqual([409, 'version_conflict'])
    expect(refused(update({ externalId: 't', name: 'forbidden' }, { keys }))).toEqual([409, 'external_id_conflict'])
    expect(refused(update({ name: 'forbidden' }))).toEqual([422, 'validation_error', '/items/0/name taste'])
  })
})

describe('an upsert', () => {
  const keys = { k: live('trio') }

  it('creates where there is no such key', () => {
    expect(upsert({ name: 'Duo' })).toMatchObject({ status: 201, record: { externalId: 'k', name: 'Duo' } })
  })

  it('updates the record that has the key, and requires its version', () => {
    expect(upsert({ name: 'Duo', expectedVersion: 3 }, { keys })).toMatchObject({
      status: 200,
      record: { id: 'trio', name: 'Duo', version: 4 },
    })
    const result = upsert({ name: 'Duo' }, { keys })
    expect(refused(result)).toEqual([428, 'precondition_required'])
    expect(detailsOf(result)).toEqual({ currentVersion: 3 })
  })

  it('overwrites the record that has the key at any version, and says so', () => {
    const overwrite = (input: JsonObject, given: Loaded) =>
      decideUpsert(band, { externalId: 'k', ...input }, '/items/0', loaded(given), write, true)
    expect(overwrite({ name: 'Duo' }, { keys })).toMatchObject({
      status: 200,
      record: { id: 'trio', name: 'Duo', version: 4 },
      effect: { overwrites: true },
    })
    expect(overwrite({}, { keys })).toMatchObject({ status: 200, effect: null })
    const created = overwrite({ name: 'Duo' }, {})
    expect(created).toMatchObject({ status: 201, record: { version: 1 } })
    expect(created).not.toMatchObject({ effect: { overwrites: true } })
    expect(refused(overwrite({ name: 'Duo' }, { keys, bands: [] }))).toEqual([404, 'not_found'])
    expect(refused(overwrite({ name: 'Duo' }, { keys: { k: gone } }))).toEqual([410, 'external_reference_deleted'])
  })

  it('is refused with a version where there is no record', () => {
    const result = upsert({ name: 'Duo', expectedVersion: 3 })
    expect(refused(result)).toEqual([409, 'version_conflict'])
    expect(detailsOf(result)).toEqual({ currentVersion: null })
  })

  it('is refused by references before versions', () => {
    expect(refused(upsert(unknown, { keys }))).toEqual(missingReference)
    expect(refused(upsert({ ...unknown, expectedVersion: 3 }))).toEqual(missingReference)
  })

  it('may repeat the reference to a person who was anonymized meanwhile, also without a version', () => {
    const bands = [{ ...trio, leader: 'nina' }]
    expect(refused(upsert(anonymized, { ...withNina, keys, bands }))).toEqual([428, 'precondition_required'])
    expect(refused(upsert(anonymized, { ...withNina, keys }))).toEqual(goneReference)
  })

  it('is refused with a key whose record is gone, whatever the version', () => {
    const input = { name: 'Duo', expectedVersion: 3 }
    expect(refused(upsert(input, { keys: { k: gone } }))).toEqual([410, 'external_reference_deleted'])
    expect(refused(upsert({ name: 'Duo' }, { keys, bands: [] }))).toEqual([404, 'not_found'])
  })
})

describe('a conflict with other records of the organization', () => {
  /** What a create and an update of a kind are decided to be, when this was found in the organization. */
  function decided(resource: Resource, found: Row, say: (needs: Needs) => void) {
    const needs = new Needs()
    say(needs)
    const work = loaded()
    for (const lookup of needs.take()?.lookups ?? []) work.loadRows(lookup, [found])
    const input = { name: 'Duo', expectedVersion: 3 }
    const steps = [
      decideCreate(resource, input, '/items/0', work, write),
      decideUpdate(resource, 'trio', input, '/items/0', work, write),
    ]
    return steps.map(step => (step instanceof Refusal ? refused(step) : step.status))
  }

  it('is a record beyond the bound of its kind, and no change of an existing one', () => {
    const few = { ...band, most: 2 }
    const among = (count: number) => decided(few, { count }, needs => needRoom(needs, few))
    const tooMany = [422, 'validation_error', '/items/0 max_items']
    expect([among(1), among(2)]).toEqual([
      [201, 200],
      [tooMany, 200],
    ])
  })
})

describe('a step', () => {
  it('is absent where nothing changed, and is one version further otherwise', () => {
    expect(stepTo(band, trio, { ...trio }, write)).toEqual({ status: 200, record: trio, effect: null })
    const after = raised(trio, { ...trio, remark: 'Loud' }, write)
    expect(after).toMatchObject({ remark: 'Loud', version: 4, updatedAt: write.now, updatedByUuid: 'operator' })
    expect(stepTo(band, trio, { ...trio, remark: 'Loud' }, write)).toEqual({
      status: 200,
      record: after,
      effect: { resource: band, before: trio, after },
    })
  })

  it('needs no rules of the kind', () => {
    const nina = aRecord(singer, { name: 'Nina' })
    const { effect } = stepTo(singer, nina, { ...nina, name: 'Etta' }, write)
    expect(Object.keys(effect ?? {})).toEqual(['resource', 'before', 'after'])
  })
})
