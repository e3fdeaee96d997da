import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../test/support/decisions.ts'
import { band, gig, member, singer } from '../../../../test/support/sample-resources.ts'
import { defineNested } from '../abilities/index.ts'
import { isUuid, optionalText } from '../schema/index.ts'
import { auditRow, changedFields, changeRow, isChanged, previewRow, settingAuditRows } from './facts.ts'
import type { Effect } from './working-set.ts'

const origin = { operation: 'bands.update', entry: 'api', tokenId: 'token', addressClass: 'private' } as const
const author = { type: 'user', uuid: 'operator', jobId: 'job' } as const
const write = aWriteContext({ author, clientRequestId: 'client', origin })
const provenance = {
  client_request_id: 'client',
  token_id: 'token',
  address_class: 'private',
  command_user: null,
  entry: null,
}
const authorship = { actor_type: 'user', actor_uuid: 'operator', application_id: 'application', request_id: 'request' }
const before = aRecord(band, { id: 'trio', name: 'Trio', version: 3 })
const after = { ...before, name: 'Quartet', version: 4 }

const changed = (effect: Effect) => changedFields(effect.resource, effect)
const event = (effect: Effect) => changeRow(effect, changed(effect), write)
const entry = (effect: Effect) => auditRow(effect, changed(effect), write).row

/** The changes in the audit entry of a step. */
const changesOf = (members: Partial<Effect>) =>
  entry({ resource: band, before, after: { ...before }, ...members }).changes

describe('a difference', () => {
  it('exists for a stored value, and for the key', () => {
    expect(isChanged(band, before, { ...before })).toBe(false)
    expect(isChanged(band, before, { ...before, version: 9, updatedAt: 'x' })).toBe(false)
    expect(isChanged(band, before, after)).toBe(true)
    expect(isChanged(band, before, { ...before, secret: 'x' })).toBe(true)
    expect(isChanged(band, before, { ...before, externalId: 'k' })).toBe(true)
    expect(isChanged(band, before, { ...before, fans: ['a'] })).toBe(true)
    expect(isChanged(member, aRecord(member), aRecord(member, { position: 4 }))).toBe(false)
  })

  it('is seen outside unless the field is internal', () => {
    const effect = { resource: band, before, after: { ...after, secret: 'x', tagIds: ['t'] } }
    expect(changed(effect).map(({ as }) => as)).toEqual(['name', 'tags'])
    expect(changed({ resource: band, before: null, after: before }).map(({ name }) => name)).toContain('name')
  })
})

describe('a change event', () => {
  it('names the record, the event, its time and its author', () => {
    const { id, ...row } = event({ resource: band, before, after })
    expect(isUuid(String(id))).toBe(true)
    expect(row).toEqual({
      kind: 'band.updated',
      resource_type: 'band',
      resource_id: 'trio',
      operation: 'updated',
      version: 4,
      changed_fields: ['name'],
      merged_into_id: null,
      merged_from_id: null,
      ...authorship,
      occurred_at: write.now,
      job_id: 'job',
      transaction_id: 'transaction',
    })
  })

  it('of a new or removed record names no fields, and counts the removal as a version', () => {
    expect(event({ resource: band, before: null, after: before })).toMatchObject({
      kind: 'band.created',
      operation: 'created',
      version: 3,
      changed_fields: [],
    })
    expect(event({ resource: band, before, after: null })).toMatchObject({
      kind: 'band.deleted',
      operation: 'deleted',
      version: 4,
      changed_fields: [],
      resource_id: 'trio',
    })
  })

  it('has the words of the step', () => {
    expect(event({ resource: band, before, after, kind: 'band.led' })).toMatchObject({
      kind: 'band.led',
      operation: 'updated',
      changed_fields: ['name'],
    })
    expect(event({ resource: singer, before, after, operation: 'anonymized', changedFields: [] })).toMatchObject({
      kind: 'singer.anonymized',
      operation: 'anonymized',
      changed_fields: [],
    })
    expect(event({ resource: band, before, after, operation: 'merged', mergedFromId: 'other' })).toMatchObject({
      kind: 'band.merged',
      changed_fields: ['name'],
      merged_from_id: 'other',
      merged_into_id: null,
    })
    expect(event({ resource: band, before, after: null, mergedIntoId: 'other' })).toMatchObject({
      merged_into_id: 'other',
      merged_from_id: null,
    })
  })

  it('names parts of the record, each once', () => {
    const nested = [
      { resource: gig, before: null, after: aRecord(gig) },
      { resource: gig, before: aRecord(gig), after: null },
      { resource: member, before: null, after: aRecord(member) },
    ]
    expect(event({ resource: band, before, after, nested }).changed_fields).toEqual(['name', 'gigs', 'members'])
  })
})

describe('an audit entry', () => {
  it('names the author, the action and the record, with the values before and after', () => {
    const effect = { resource: band, before, after }
    expect(auditRow(effect, changed(effect), write)).toMatchObject({
      operation: 'insert',
      table: { name: 'audit_entries' },
    })
    const { id, ...row } = entry(effect)
    expect(isUuid(String(id))).toBe(true)
    expect(row).toEqual({
      occurred_at: write.now,
      resource_type: 'band',
      resource_id: 'trio',
      action: 'band.updated',
      ...authorship,
      ...provenance,
      version_before: 3,
      version_after: 4,
      about_ids: null,
      job_id: 'job',
      overwrite: false,
      changes: [{ field: 'name', before: 'Trio', after: 'Quartet' }],
    })
  })

  it('of a new or removed record has one side', () => {
    const created = entry({ resource: band, before: null, after: before })
    expect(created).toMatchObject({ action: 'band.created', version_before: null, version_after: 3 })
    expect(created.changes).toContainEqual({ field: 'name', before: null, after: 'Trio' })
    const deleted = entry({ resource: band, before, after: null })
    expect(deleted).toMatchObject({
      action: 'band.deleted',
      version_before: 3,
      version_after: null,
      resource_id: 'trio',
    })
    expect(deleted.changes).toContainEqual({ field: 'name', before: 'Trio', after: null })
  })

  it('has the words of the step', () => {
    expect(entry({ resource: band, before, after, kind: 'band.led' }).action).toBe('band.led')
    expect(entry({ resource: band, before, after, operation: 'merged' }).action).toBe('band.merged')
  })

  it('keeps with a value the scope that may read it', () => {
    const custom = { ...before, customFields: { style: 'jazz' } }
    expect(changesOf({ after: { ...custom, tagIds: ['t'] } })).toEqual([
      { field: 'customFields', before: {}, after: { style: 'jazz' }, guard: 'custom_fields' },
      { field: 'tags', before: [], after: ['t'], guard: 'tags' },
    ])
  })

  it('keeps nothing of a person in the step that erases', () => {
    const [nina, nobody] = [aRecord(singer, { name: 'Nina' }), aRecord(singer)]
    expect(entry({ resource: singer, before: nina, after: null }).changes).toEqual([])
    expect(entry({ resource: singer, before: nina, after: nobody, operation: 'anonymized' }).changes).toEqual([])
    expect(entry({ resource: singer, before: nina, after: nobody }).changes).not.toEqual([])
    expect(entry({ resource: singer, before: null, after: nina }).changes).not.toEqual([])
  })
})

describe('the parts in an audit entry', () => {
  const pianist = aRecord(member, { id: 'm', bandId: 'trio', singer: 'nina', instrument: 'Piano' })
  const shown = { singerId: 'nina', anonymized: false, instrument: 'Piano', position: 0 }

  it('show the part before and after, under the name that it has in the record', () => {
    const moved = { ...pianist, instrument: 'Bass' }
    expect(changesOf({ nested: [{ resource: member, before: pianist, after: moved }] })).toEqual([
      { field: 'members', before: shown, after: { ...shown, instrument: 'Bass' } },
    ])
    expect(changesOf({ nested: [{ resource: member, before: null, after: pianist }] })).toEqual([
      { field: 'members', before: null, after: shown },
    ])
  })

  it('are whole also where they refer to nobody', () => {
    const nested = [{ resource: member, before: null, after: { ...pianist, singer: null } }]
    expect(changesOf({ nested })).toMatchObject([{ after: { singerId: null } }])
  })

  it('stand behind the changes of the record itself', () => {
    const nested = [{ resource: gig, before: null, after: aRecord(gig) }]
    expect(changesOf({ after, nested })).toMatchObject([{ field: 'name' }, { field: 'gigs' }])
  })

  it('are hidden as a whole where the kind is', () => {
    const hidden = { ...gig, projection: 'amounts' } as const
    expect(changesOf({ nested: [{ resource: hidden, before: null, after: aRecord(gig) }] })).toMatchObject([
      { field: 'gigs', guard: 'amounts' },
    ])
  })

  it('name each person once, so that an erasure finds the entry', () => {
    const nested = [
      { resource: member, before: pianist, after: { ...pianist, singer: 'etta' } },
      { resource: member, before: null, after: pianist },
      { resource: gig, before: null, after: aRecord(gig) },
    ]
    expect(entry({ resource: band, before, after, nested }).about_ids).toEqual(['nina', 'etta'])
    expect(entry({ resource: band, before, after, nested: [] }).about_ids).toBeNull()
  })

  it('show of an erased person only that there was something', () => {
    const nested = [
      { resource: member, before: pianist, after: null },
      { resource: member, before: { ...pianist, singer: 'etta' }, after: null },
    ]
    const replaced = { kind: 'singer', id: 'nina', other: null, erases: true }
    expect(changesOf({ nested, replaced })).toMatchObject([
      { field: 'members', redacted: true },
      { field: 'members', before: { singerId: 'etta' } },
    ])
    expect(entry({ resource: band, before, after, nested, replaced }).about_ids).toEqual(['etta'])
    const merged = { ...replaced, other: 'etta', erases: false }
    expect(changesOf({ nested, replaced: merged })).toMatchObject([{ before: shown }, { after: null }])
    expect(entry({ resource: band, before, after, nested, replaced: merged }).about_ids).toEqual(['nina', 'etta'])
  })
})

describe('the name of a part', () => {
  it('is that of its place in the record, and of a kind that belongs to none its plural', () => {
    const solo = { ...gig, parent: { ...gig.parent, part: 'shows' } }
    expect(changesOf({ nested: [{ resource: solo, before: null, after: aRecord(gig) }] })).toMatchObject([
      { field: 'shows' },
    ])
    expect(changesOf({ nested: [{ resource: singer, before: null, after: aRecord(singer) }] })).toContainEqual(
      expect.objectContaining({ field: 'singers' }),
    )
  })
})

describe('the entry of a record that its client has named', () => {
  const stage = defineNested({
    kind: 'stage',
    plural: 'stages',
    title: 'Stage',
    table: 'stages',
    part: 'stages',
    parent: band,
    parentMember: 'bandId',
    most: null,
    order: { field: 'createdAt', direction: 'asc' },
    hasChosenIds: true,
    idParameter: 'stageId',
    fields: { light: optionalText({ max: 100 }) },
  })
  const hall = aRecord(stage, { bandId: 'trio', stageId: 'hall' })
  const changes = (from: typeof hall | null, to: typeof hall | null) =>
    entry({ resource: stage, before: from, after: to }).changes
  const told = (field: string, from: string | null, to: string | null) => ({ field, before: from, after: to })

  it('gives its place and its name, each once', () => {
    expect(changes(hall, { ...hall, light: 'red' })).toEqual([
      ...[told('bandId', 'trio', 'trio'), told('id', 'hall', 'hall'), told('light', null, 'red')],
    ])
    expect(changes(null, hall)).toEqual([told('bandId', null, 'trio'), told('id', null, 'hall')])
    expect(changes(hall, null)).toEqual([told('bandId', 'trio', null), told('id', 'hall', null)])
  })
})

describe('the entries of a step of settings', () => {
  it('are one for each setting that changed', () => {
    const [place, same] = [aRecord(gig, { id: 'g', place: 'Hall' }), aRecord(gig, { id: 'h' })]
    const nested = [
      { resource: gig, before: place, after: { ...place, place: 'Club' } },
      { resource: gig, before: same, after: same },
    ]
    const told = (effect: Effect) =>
      settingAuditRows(effect, write).map(({ row }) => [row.action, row.resource_id, row.changes])
    const ofPlace = ['gig.updated', 'g', [{ field: 'place', before: 'Hall', after: 'Club' }]]
    expect(told({ resource: band, before, after: before, nested })).toEqual([ofPlace])
    expect(told({ resource: band, before, after })).toEqual([
      ['band.updated', 'trio', [{ field: 'name', before: 'Trio', after: 'Quartet' }]],
    ])
    expect(told({ resource: band, before, after, nested }).map(([action]) => action)).toEqual([
      'band.updated',
      'gig.updated',
    ])
  })
})

describe('the entry of a preview', () => {
  it('names the reader, and says that nothing changed', () => {
    const { table, operation, row } = previewRow(band, before, 'band.merge_previewed', write)
    expect([table.name, operation, isUuid(String(row.id))]).toEqual(['audit_entries', 'insert', true])
    expect(row).toEqual({
      id: row.id,
      occurred_at: write.now,
      resource_type: 'band',
      resource_id: 'trio',
      ...authorship,
      action: 'band.merge_previewed',
      ...provenance,
      version_before: 3,
      version_after: 3,
      changes: [],
      about_ids: null,
      job_id: 'job',
      overwrite: false,
    })
  })
})
