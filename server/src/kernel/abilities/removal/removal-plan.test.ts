import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext, refused } from '../../../../../test/support/decisions.ts'
import { band, gig, member, singer } from '../../../../../test/support/sample-resources.ts'
import type { RecordState, Resource } from '../../record/index.ts'
import { Refusal } from '../../schema/index.ts'
import { DecideAgain } from '../../sql/index.ts'
import { Needs, Round } from '../../write/needs.ts'
import { WorkingSet } from '../../write/working-set.ts'
import { holdersOf } from '../referrers/index.ts'
import { relationsOf } from './relations.ts'
import { type RemovalPlan, type RemovalRequest, removal } from './removal-plan.ts'

const services = { resources: [singer, band], nestedResources: [gig, member] }
const write = aWriteContext({ author: { type: 'user', uuid: 'operator', jobId: null } })

const nina = aRecord(singer, {
  id: 'nina',
  name: 'Nina',
  voice: 'contralto',
  externalId: 'k',
  version: 3,
  contactData: { phones: [{ value: '1' }], emails: [], addresses: [], messengers: [], birthDate: null },
})
const trio = aRecord(band, { id: 'trio', leader: 'nina', fans: ['etta', 'nina'], version: 5 })
const duo = aRecord(band, { id: 'duo', leader: 'etta', fans: ['nina'] })
const pianist = aRecord(member, { id: 'pianist', bandId: 'duo', singer: 'nina', instrument: 'Piano' })

/** What is loaded: records, and those that refer to the record to remove. */
function loaded(resource: Resource, id: string, records: readonly (readonly [Resource, RecordState])[]): WorkingSet {
  const work = new WorkingSet()
  for (const [kind, record] of records) work.load(kind, record)
  for (const referrer of relationsOf(resource, services).referrers) {
    const { holder, field } = referrer
    const refers = (value: unknown) => (Array.isArray(value) ? value.includes(id) : value === id)
    const holders = records.filter(([kind, record]) => kind === holder && refers(record[field]))
    work.loadRows(
      holdersOf(referrer, id),
      holders.map(([, record]) => ({ id: record.id, above: [record.bandId] })),
    )
  }
  return work
}

const all = [
  [singer, nina],
  [band, trio],
  [band, duo],
  [member, pianist],
] as const

interface Removed {
  readonly plan?: RemovalPlan
  readonly result: unknown
}

function remove(request: Partial<RemovalRequest>, work: WorkingSet): Removed {
  let plan: RemovalPlan | undefined
  const asked = { resource: singer, id: 'nina', mode: 'full', expectedVersion: undefined, ...request } as const
  const mutation = removal(asked, services, made => {
    plan = made
    return {}
  })
  const result = mutation.decide(work, write)
  return plan === undefined ? { result } : { plan, result }
}

const changedBy = (plan: RemovalPlan | undefined) =>
  new Map(plan?.effects.map(({ before, after }) => [before?.id ?? '', after]))

describe('a full removal', () => {
  it('takes the record out of each record that refers to it, once, and then removes it', () => {
    const work = loaded(singer, 'nina', all)
    const { plan, result } = remove({}, work)
    expect(result).not.toBeInstanceOf(Refusal)
    expect(plan?.blockers).toEqual([])
    expect(plan?.effects.map(({ before }) => before?.id)).toEqual(['trio', 'duo', 'nina'])
    const changed = changedBy(plan)
    expect(changed.get('trio')).toMatchObject({ leader: null, fans: ['etta'], version: 6 })
    expect(changed.get('duo')).toMatchObject({ leader: 'etta', fans: [], version: 2 })
    expect(changed.get('nina')).toBeNull()
    expect(work.record('singer', 'nina')).toBeNull()
    expect(work.record('band', 'trio')).toMatchObject({ fans: ['etta'] })
    expect(work.record('member', 'pianist')).toBeNull()
  })

  it('gives the reason, so that entries of the others do not identify a person', () => {
    const { plan } = remove({}, loaded(singer, 'nina', all))
    const replaced = { kind: 'singer', id: 'nina', other: null, erases: true }
    expect(plan?.effects.slice(0, 2)).toMatchObject([{ replaced }, { replaced }])
  })

  it('names the records that it unlinks, also by links of its own', () => {
    expect(remove({}, loaded(singer, 'nina', all)).plan?.links).toEqual(
      new Map([
        ['bands', ['trio', 'duo']],
        ['bands.leader', ['trio']],
        ['bands.singer', ['duo']],
      ]),
    )
    const { plan } = remove({ resource: band, id: 'duo' }, loaded(band, 'duo', all))
    expect(plan?.links.get('members')).toEqual(['nina'])
    expect(plan?.effects).toMatchObject([{ before: { id: 'duo' }, after: null }])
  })

  it('is refused where the rules of another record forbid it, and changes nothing', () => {
    const work = loaded(singer, 'nina', [
      [singer, nina],
      [band, { ...trio, gigs: 1 }],
    ])
    const { plan, result } = remove({}, work)
    expect(plan).toBeUndefined()
    expect(refused(result)).toEqual([422, 'validation_error', ' leader_required'])
    expect(work.effects).toEqual([])
  })
})

describe('an anonymization', () => {
  it('clears personal fields and the key, and keeps the record', () => {
    const { plan } = remove({ mode: 'anonymize' }, loaded(singer, 'nina', all))
    expect(plan?.effects).toMatchObject([
      { resource: singer, operation: 'anonymized', changedFields: [], before: nina },
    ])
    expect(plan?.effects[0]?.after).toEqual({
      ...nina,
      name: '',
      contactData: singer.fields.contactData?.initial,
      externalId: null,
      anonymizedAt: write.now,
      version: 4,
      updatedAt: write.now,
      updatedByUuid: 'operator',
    })
  })

  it('leaves all links, and names none', () => {
    const { plan } = remove({ mode: 'anonymize' }, loaded(singer, 'nina', all))
    expect([plan?.links, plan?.blockers]).toEqual([new Map(), []])
  })

  it('starts over where a link that describes the person has moved to a record that is not locked', () => {
    const moved = { ...pianist, bandId: 'elsewhere' }
    const work = loaded(singer, 'nina', [...all.slice(0, 3), [member, moved]])
    expect(() => remove({ mode: 'anonymize' }, work)).toThrow(DecideAgain)
  })
})

describe('a removal', () => {
  it('of an unknown record is 404, and of one that was anonymized 410', () => {
    expect(refused(remove({}, new WorkingSet()).result)).toEqual([404, 'not_found'])
    const gone = { ...nina, anonymizedAt: '2026-03-01T00:00:00.000Z' }
    expect(refused(remove({}, loaded(singer, 'nina', [[singer, gone]])).result)).toEqual([410, 'resource_deleted'])
  })

  it('compares the version where one is given', () => {
    const work = () => loaded(singer, 'nina', [[singer, nina]])
    expect(refused(remove({ expectedVersion: 2 }, work()).result)).toEqual([409, 'version_conflict'])
    expect(remove({ expectedVersion: 2 }, work()).result).toMatchObject({ details: { currentVersion: 3 } })
    expect(remove({ expectedVersion: 3 }, work()).plan).toBeDefined()
  })
})

describe('the needs of a removal', () => {
  const needsOf = (request: Partial<RemovalRequest>) => {
    const needs = new Needs()
    const asked = { resource: singer, id: 'nina', mode: 'full', expectedVersion: undefined, ...request } as const
    removal(asked, services).needs(needs, new WorkingSet(), write.configuration)
    return needs.take() ?? new Round()
  }
  const found = ({ lookups }: Round) => lookups.map(({ statement: { name }, values }) => [name, ...values])

  it('are the record with its keys, and the records that refer to it', () => {
    const needs = needsOf({})
    expect(needs.change.get(singer)?.ids).toEqual(new Set(['nina']))
    expect(found(needs)).toEqual([
      ['load_all_keys', 'nina'],
      ['find_band_fans_of_singer', 'nina'],
      ['find_band_leader_of_singer', 'nina'],
      ['find_member_singer_of_singer', 'nina'],
    ])
  })

  it('include links of its own, where they go with it', () => {
    expect(needsOf({ resource: band, id: 'duo' }).nested.get(member)?.parents).toEqual(new Set(['duo']))
    expect(needsOf({ resource: band, id: 'duo' }).nested.has(gig)).toBe(false)
    expect(needsOf({ resource: band, id: 'duo', mode: 'anonymize' }).nested.size).toBe(0)
  })

  it('include only the links that describe a person who is anonymized', () => {
    expect(found(needsOf({ mode: 'anonymize' })).slice(1)).toEqual([['find_member_singer_of_singer', 'nina']])
  })
})
