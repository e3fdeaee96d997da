import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aRecord, aWriteContext } from '../../../../test/support/decisions.ts'
import { defineNested, defineResource, type RecordState, type Replacement, type Resource } from '../abilities/index.ts'
import {
  anonymizedAt,
  computed,
  contactData,
  optionalText,
  orderedLinks,
  personal,
  requiredText,
} from '../schema/index.ts'
import { allKeysOf } from './load.ts'
import { rowsOf } from './rows.ts'
import { type Effect, WorkingSet } from './working-set.ts'

const scopes = { read: 'crm_contacts_read', write: 'crm_contacts_write', delete: 'crm_contacts_delete' } as const

const album = defineResource({
  kind: 'album',
  plural: 'albums',
  title: 'Album',
  scopes,
  fields: {
    name: requiredText({ max: 100, searched: true }),
    remark: optionalText({ max: 100 }),
    secret: { ...computed<string | null>(null, { column: 'text', schema: {} }), output: {}, present: () => ({}) },
    songs: orderedLinks({
      component: 'AlbumSong',
      ...{
        to: { kind: 'song', table: { name: 'songs' }, scopes: { read: 'crm_songs_read' }, roles: {} },
        table: 'album_songs',
        ownerColumn: 'album_id',
        targetColumn: 'song_id',
      },
      ...{ idsMember: 'songIds', member: 'songs', idMember: 'songId', most: 50 },
    }),
  },
})

const singer = defineResource({
  kind: 'singer',
  plural: 'singers',
  title: 'Singer',
  scopes,
  fields: {
    name: personal(requiredText({ max: 100 })),
    contactData: personal(contactData({ birthDate: true })),
    anonymizedAt,
  },
})

const take = defineNested({
  ...{ kind: 'take', plural: 'takes', title: 'Take', table: 'takes', part: 'takes' },
  ...{ parent: album, parentMember: 'albumId', most: null, order: { field: 'createdAt', direction: 'asc' } },
  fields: {
    note: optionalText({ max: 100 }),
    takenByUuid: computed<string | null>(null, { column: 'uuid', schema: {}, projection: 'operators' }),
  },
})

const id = '0197e2a4-0000-7000-8000-000000000001'

const write = aWriteContext()

function step(resource: Resource, before: RecordState | null, after: RecordState | null, work = new WorkingSet()) {
  if (before !== null) work.load(resource, before)
  work.apply({ resource, before, after })
  const { rows, events } = rowsOf(work, write)
  const of = (table: string) =>
    rows.filter(row => row.table.name === table).map(({ operation, row }) => ({ operation, ...row }))
  return { of, events, rows }
}

const linked = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 })

describe('links', () => {
  it('are written as differences: a link that stays in its place is not touched, and no row twice', () => {
    fc.assert(
      fc.property(linked, linked, (before, after) => {
        fc.pre(before.join() !== after.join())
        const { of } = step(album, aRecord(album, { songs: before }), aRecord(album, { songs: after, version: 2 }))
        const stored = new Map(before.map((song, position) => [song, position]))
        const touched = of('album_songs').map(row => {
          const { song_id: song, position, operation } = { position: 0, song_id: '', ...row }
          if (operation === 'insert') expect(stored.has(song)).toBe(false)
          else expect(stored.has(song)).toBe(true)
          if (operation === 'delete') stored.delete(song)
          else stored.set(song, position)
          return song
        })
        expect(new Set(touched).size).toBe(touched.length)
        expect([...stored].sort((one, other) => one[1] - other[1]).map(([song]) => song)).toEqual(after)
        for (const [position, song] of after.entries()) {
          if (before[position] === song) expect(touched).not.toContain(song)
        }
      }),
    )
  })

  it('go with their record', () => {
    const { of } = step(album, aRecord(album, { songs: ['a', 'b'] }), null)
    expect(of('album_songs')).toEqual([
      { operation: 'delete', album_id: id, song_id: 'a' },
      { operation: 'delete', album_id: id, song_id: 'b' },
    ])
    expect(of('albums')).toEqual([{ operation: 'delete', id }])
  })
})

describe('the key of a record', () => {
  it.each([
    [null, 'a', ['insert a']],
    ['a', null, ['delete a']],
    ['a', 'b', ['delete a', 'insert b']],
    ['a', 'a', []],
    [null, null, []],
  ])('from %j to %j is written as %j', (before, after, expected) => {
    const { of } = step(
      album,
      aRecord(album, { externalId: before }),
      aRecord(album, { externalId: after, version: 2, name: 'x' }),
    )
    expect(
      of('external_keys').map(row => `${row.operation} ${Object.entries(row).find(([name]) => name === 'key')?.[1]}`),
    ).toEqual(expected)
  })

  it('is that of the calling application, and names its record', () => {
    const { of } = step(album, aRecord(album, { externalId: 'a' }), aRecord(album, { externalId: 'b', version: 2 }))
    const mapping = { application_id: 'application', kind: 'album', gone: false }
    expect(of('external_keys')).toEqual([
      { operation: 'delete', key: 'a', ...mapping },
      { operation: 'insert', key: 'b', resource_id: id, changed_at: write.now, ...mapping },
    ])
  })

  it('of a removed record becomes a tombstone for every application, and its events keep it', () => {
    const work = new WorkingSet()
    work.loadRows(allKeysOf(id), [
      { application_id: 'one', key: 'k1' },
      { application_id: 'two', key: 'k2' },
    ])
    work.loadRows(allKeysOf('another'), [{ application_id: 'two', key: 'k3' }])
    const { of } = step(album, aRecord(album, { externalId: 'k1' }), null, work)
    expect(of('external_keys')).toMatchObject([
      { operation: 'delete', application_id: 'one', gone: false, key: 'k1' },
      { operation: 'insert', application_id: 'one', gone: true, key: 'hidden k1', reason: 'deleted', resource_id: id },
      { operation: 'delete', application_id: 'two', gone: false, key: 'k2' },
      { operation: 'insert', application_id: 'two', gone: true, key: 'hidden k2', reason: 'deleted', resource_id: id },
    ])
    expect(of('change_keys')).toMatchObject([
      { operation: 'insert', application_id: 'one', key: 'k1' },
      { operation: 'insert', application_id: 'two', key: 'k2' },
    ])
  })

  it.each([
    ['deleted', null],
    ['anonymized', aRecord(singer, { version: 2, anonymizedAt: '2026-03-02T10:00:30.000Z' })],
  ])('of a person that was %s is kept nowhere in clear', (reason, after) => {
    const work = new WorkingSet()
    work.loadRows(allKeysOf(id), [{ application_id: 'one', key: 'k1' }])
    const before = aRecord(singer, { externalId: 'k1', anonymizedAt: null })
    const { of } = step(singer, before, after, work)
    expect(of('external_keys')).toMatchObject([{ operation: 'delete' }, { key: 'hidden k1', gone: true, reason }])
    expect(of('change_keys')).toEqual([])
  })
})

describe('a record of a person who was erased before', () => {
  it('may change its key like any other', () => {
    const [before, after] = ['k', null].map(externalId => aRecord(singer, { externalId, anonymizedAt: '2026-03-01' }))
    const { of } = step(singer, before ?? null, after ?? null)
    expect(of('external_keys')).toMatchObject([{ operation: 'delete', key: 'k', gone: false }])
  })
})

describe('the keys of a merged record', () => {
  const [one, other] = [aRecord(album, { id: 'one' }), aRecord(album, { id: 'other', externalId: 'k1' })]

  function merged(keys: readonly (readonly [application: string, key: string, id: string])[]) {
    const work = new WorkingSet()
    for (const record of [one, other]) {
      const held = keys.filter(([, , holder]) => holder === record.id)
      const rows = held.map(([application_id, key]) => ({ application_id, key }))
      work.loadRows(allKeysOf(record.id), rows)
      work.load(album, record)
    }
    const after = { ...one, externalId: 'k1', version: 3 }
    work.apply({ resource: album, before: one, after: { ...one, version: 2 } })
    work.apply({ resource: album, before: one, after, operation: 'merged', mergedFromId: 'other' })
    work.apply({ resource: album, before: other, after: { ...other, version: 2 } })
    work.apply({ resource: album, before: other, after: null, mergedIntoId: 'one' })
    const { rows } = rowsOf(work, write)
    return rows.filter(({ table }) => table.name.endsWith('_keys')).map(({ table, ...row }) => [table.name, row])
  }

  it('address the other record, and stay with the events of the one that goes', () => {
    const mapping = {
      application_id: 'a',
      kind: 'album',
      gone: false,
      key: 'k1',
      resource_id: 'one',
      changed_at: write.now,
    }
    const event = { application_id: 'a', resource_id: 'other', key: 'k1', removed_at: write.now }
    expect(merged([['a', 'k1', 'other']])).toEqual([
      ['external_keys', { operation: 'update', row: mapping }],
      ['change_keys', { operation: 'insert', row: event }],
    ])
  })

  it('become tombstones where the other record has a key of the same application', () => {
    const rows = merged([
      ['a', 'k1', 'other'],
      ['a', 'k2', 'one'],
      ['b', 'k3', 'one'],
      ['c', 'k4', 'somebody'],
    ])
    const gone = { application_id: 'a', kind: 'album', gone: true, key: 'hidden k1', resource_id: 'other' }
    expect(rows).toEqual([
      ['external_keys', { operation: 'delete', row: { application_id: 'a', kind: 'album', gone: false, key: 'k1' } }],
      ['external_keys', { operation: 'insert', row: { ...gone, reason: 'merged', changed_at: write.now } }],
      ['change_keys', { operation: 'insert', row: expect.objectContaining({ key: 'k1', resource_id: 'other' }) }],
    ])
  })
})

describe('the rows that a kind keeps beside its records', () => {
  /** The arguments that the rule is called with. */
  function asked(effects: readonly Omit<Effect, 'resource'>[], loaded: readonly RecordState[]) {
    const calls: unknown[] = []
    const work = new WorkingSet()
    const resource: Resource = {
      ...album,
      references: ['songs', 'remark'].map(name => ({
        name,
        kind: 'song',
        table: '',
        ownerColumn: '',
        targetColumn: '',
      })),
      rules: {
        sideRows(before, after, context, steps, parties) {
          calls.push([before?.version ?? null, after?.version ?? null, steps.length, parties, context === write])
          return [{ table: album.table, operation: 'insert', row: { id: 'side' } }]
        },
      },
    }
    for (const record of loaded) work.load(resource, record)
    for (const effect of effects) work.apply({ resource, ...effect })
    const { rows } = rowsOf(work, write)
    return { calls, sideRows: rows.filter(({ row }) => row.id === 'side').length }
  }

  const songs = (version: number, ...ids: string[]) => aRecord(album, { version, songs: ids })
  const replaced: Replacement = { kind: 'song', id: 'a', other: 'b', erases: false }
  const nested = [{ resource: take, before: null, after: aRecord(take) }]

  it('are made once for each record, with the steps of its parts', () => {
    const [one, two, three] = [songs(1), songs(2), songs(3)]
    const effects = [
      { before: one, after: two, nested },
      { before: two, after: three, nested },
    ]
    expect(asked(effects, [one])).toEqual({ calls: [[1, 3, 2, [], true]], sideRows: 1 })
    expect(asked([{ before: null, after: one }], []).calls).toEqual([[null, 1, 0, [], true]])
    expect(asked([{ before: null, after: one, nested }], []).calls).toEqual([[null, 1, 1, [], true]])
  })

  it('may show which of its parties were merged into others', () => {
    const [before, after] = [songs(1, 'a'), songs(2, 'b')]
    const partiesOf = (effect: Omit<Effect, 'resource'>) => asked([effect], [before]).calls.flat()[3]
    expect(partiesOf({ before, after, replaced })).toEqual([replaced])
    expect(partiesOf({ before, after })).toEqual([])
    expect(partiesOf({ before, after, replaced: { ...replaced, other: null } })).toEqual([])
    expect(partiesOf({ before, after: { ...before, version: 2 }, replaced })).toEqual([])
    expect(partiesOf({ before, after: null, replaced })).toEqual([])
    expect(asked([{ before: null, after, replaced }], []).calls.flat()[3]).toEqual([])
  })
})

describe('facts', () => {
  it('are one event and one audit entry for each step', () => {
    const work = new WorkingSet()
    const [one, two] = [aRecord(album, { name: 'a' }), aRecord(album, { name: 'b', version: 2 })]
    work.load(album, one)
    work.apply({ resource: album, before: one, after: two })
    work.apply({ resource: album, before: two, after: aRecord(album, { name: 'c', version: 3 }) })
    const { rows, events } = rowsOf(work, write)
    expect(events).toMatchObject([
      { kind: 'album.updated', operation: 'updated', version: 2, changed_fields: ['name'] },
      { kind: 'album.updated', operation: 'updated', version: 3, changed_fields: ['name'] },
    ])
    expect(new Set(events.map(({ transaction_id }) => transaction_id))).toEqual(new Set(['transaction']))
    expect(rows.filter(({ table }) => table.name === 'audit_entries')).toHaveLength(2)
    expect(rows.filter(({ table }) => table.name === 'albums')).toHaveLength(1)
  })

  it('name changed fields as requests do, and leave internal ones out', () => {
    const after = aRecord(album, { name: 'b', secret: 'x', songs: ['a'], externalId: 'k', version: 2 })
    const { events } = step(album, aRecord(album, { name: 'a' }), after)
    expect(events).toMatchObject([{ changed_fields: ['externalId', 'name', 'songs'] }])
  })

  it('give a removed record one more version', () => {
    const { events, of } = step(album, aRecord(album, { version: 7 }), null)
    expect(events).toMatchObject([{ kind: 'album.deleted', operation: 'deleted', version: 8, changed_fields: [] }])
    expect(of('audit_entries')).toMatchObject([{ action: 'album.deleted', version_before: 7, version_after: null }])
  })

  it('hold the values of a change with the projection that hides them', () => {
    const { of } = step(singer, null, aRecord(singer, { name: 'Nina' }))
    const [entry] = of('audit_entries')
    expect(entry).toMatchObject({
      changes: [
        { field: 'name', before: null, after: 'Nina' },
        { field: 'contactData', before: null, guard: 'contact_data' },
      ],
    })
  })

  it('hold a protected member of a nested record in a change of its own, where it changed', () => {
    const operator = '0197e2a4-0000-7000-8000-000000000002'
    const [before, after] = [aRecord(album), aRecord(album, { version: 2 })]
    const changesOf = (...takes: readonly (RecordState | null)[]) => {
      const work = new WorkingSet()
      const [old = null, next = null] = takes
      work.apply({ resource: album, before, after, nested: [{ resource: take, before: old, after: next }] })
      const row = rowsOf(work, write).rows.find(({ table }) => table.name === 'audit_entries')?.row
      return row?.changes
    }
    const said = {
      id,
      version: 1,
      albumId: id,
      note: 'Too loud',
      createdAt: before.createdAt,
      updatedAt: before.updatedAt,
    }
    const one = aRecord(take, { albumId: id, note: 'Too loud', takenByUuid: operator })
    const protectedMember = { field: 'takes.takenByUuid', guard: 'operators' }
    expect(changesOf(null, one)).toEqual([
      { field: 'takes', before: null, after: said },
      { ...protectedMember, before: null, after: operator },
    ])
    expect(changesOf(one, { ...one, note: 'Good', version: 2 })).toEqual([
      { field: 'takes', before: said, after: { ...said, note: 'Good', version: 2 } },
    ])
    expect(changesOf(one, null)).toContainEqual({ ...protectedMember, before: operator, after: null })
    expect(changesOf({ ...one, takenByUuid: null }, null)).toHaveLength(1)
  })

  it('hold no value of a person in the step that erases', () => {
    const { of } = step(singer, aRecord(singer, { name: 'Nina' }), null)
    expect(of('audit_entries')).toMatchObject([{ changes: [] }])
  })
})

describe('the trail of a step', () => {
  const told = (resource: Resource) => {
    const { events, of } = step(resource, aRecord(album, { name: 'a' }), aRecord(album, { name: 'b', version: 2 }))
    const entries = of('audit_entries').map((row: Record<string, unknown>) => row.action)
    return [events.map(({ kind }) => kind), entries]
  }

  it('is a change event only where clients keep records in step', () => {
    expect(told(album)).toEqual([['album.updated'], ['album.updated']])
    expect(told({ ...album, conventions: { ...album.conventions, synchronizes: false } })).toEqual([
      [],
      ['album.updated'],
    ])
  })

  it('is an audit entry alone for each setting that changed', () => {
    expect(told({ ...album, isSetting: true })).toEqual([[], ['album.updated']])
    const same = aRecord(album, { name: 'a' })
    expect(
      step({ ...album, isSetting: true }, same, { ...same }).rows.filter(({ table }) => table.name === 'audit_entries'),
    ).toEqual([])
  })
})

describe('the search columns', () => {
  it('hold the searched texts in the form that search compares', () => {
    const { of } = step(album, null, aRecord(album, { name: 'Ёлка Ä', remark: 'not searched' }))
    expect(of('albums')).toMatchObject([
      { operation: 'insert', search_names: 'елка a', search_contact_data: '', search_custom_fields: '' },
    ])
  })
})
