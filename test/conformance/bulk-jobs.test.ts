import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { admitted, byId, doneTasks, manyTasks, someRecords } from './support/bulk-jobs.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, type Kind, kinds, outcome, unknownId } from './support/requests.ts'

const given = useApi()

const one = async (kind: Kind) => byId(await aRecord(kind, await given.shared()))
const ask = async (body: JsonObject) => (await given.shared()).client.post('/bulk-jobs', body)
const jobsOf = async () => (await (await given.shared()).client.get('/bulk-jobs?limit=100')).items.length

/** A value of each field that a bulk job may change. */
const changeable: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  contact: { ownerUuid: null },
  company: { ownerUuid: null },
  deal: {
    title: 'Chairs',
    description: 'Two hundred',
    amount: '12.50',
    currency: 'EUR',
    priority: 'high',
    ownerUuid: null,
    expectedCloseDate: '2026-05-01',
  },
  task: {
    status: 'done',
    priority: 'low',
    assigneeUuid: null,
    dueDate: '2026-05-01',
    startAt: '2026-04-01T08:00:00Z',
  },
}

describe('a job can change', () => {
  it.each(kinds)('each field of a %s, and all of them together', async kind => {
    const fields = changeable[kind]
    const targets = [await one(kind)]
    const each = Object.entries(fields).map(([name, value]) => ({ [name]: value }))
    for (const changes of [...each, fields]) {
      const { status, data, meta } = await ask({ entityType: kind, action: 'update', targets, changes })
      expect({ status, data, meta }).toEqual({ status: 202, data: { id: data.id, status: 'queued' }, meta: {} })
    }
  })

  it('fields with ids and times, which it shows in the form of records', async () => {
    const { operator, client } = await given.shared()
    const changes = {
      assigneeUuid: operator.toUpperCase(),
      startAt: '2026-05-01T12:00:00+02:00',
      dueDate: '2026-05-02',
    }
    const body = { entityType: 'task', action: 'update', targets: [await one('task')], changes }
    const job = (await client.get(`/bulk-jobs/${await admitted(client, body)}`)).data
    expect(job.changes).toEqual({ assigneeUuid: operator, startAt: '2026-05-01T10:00:00.000Z', dueDate: '2026-05-02' })
  })

  it.each([
    ['contact', { firstName: 'Anna' }],
    ['company', { name: 'Northwind' }],
    ['deal', { stageUuid: unknownId }],
    ['deal', { status: 'won' }],
    ['task', { title: 'Call' }],
    ['task', { expectedVersion: 1 }],
  ] as const)('not another field of a %s: %o', async (kind, changes) => {
    const { status, details } = await ask({ entityType: kind, action: 'update', targets: [await one(kind)], changes })
    const issue = { path: `/changes/${Object.keys(changes)[0]}`, rule: 'unknown_field', message: expect.any(String) }
    expect({ status, issues: details.issues }).toEqual({ status: 400, issues: [issue] })
  })

  it.each([
    ['no change', 'deal', 'update', {}, '/changes', 'minProperties'],
    ['a move without a stage', 'deal', 'move', { lostReasonCategoryUuid: null }, '/changes/stageUuid', 'required'],
    [
      'a comment with a move',
      'deal',
      'move',
      { stageUuid: unknownId, lostReasonComment: 'x' },
      '/changes/lostReasonComment',
      'unknown_field',
    ],
    [
      'a place with a move',
      'deal',
      'move',
      { stageUuid: unknownId, position: 0 },
      '/changes/position',
      'unknown_field',
    ],
    ['a move of tasks', 'task', 'move', { stageUuid: unknownId }, '/action', 'enum'],
    ['an unknown action', 'task', 'delete', { status: 'done' }, '/action', 'enum'],
    ['an unknown kind', 'tag', 'update', { name: 'x' }, '/entityType', 'enum'],
    ['null where there has to be a value', 'task', 'update', { status: null }, '/changes/status', 'type'],
    ['an amount that lost digits', 'deal', 'update', { amount: 0.1 + 0.2 }, '/changes/amount', 'decimal'],
    ['a title without letters', 'deal', 'update', { title: ' ' }, '/changes/title', 'minLength'],
  ])('not %s', async (_, entityType, action, changes, path, rule) => {
    const { status, details } = await ask({ entityType, action, targets: [{ id: unknownId }], changes })
    expect({ status, issues: details.issues }).toMatchObject({
      status: 400,
      issues: expect.arrayContaining([expect.objectContaining({ path, rule })]),
    })
  })

  it.each([
    ['none', [], '/targets', 'minItems'],
    ['one that is no object', ['x'], '/targets/0', 'type'],
    ['one by id and key', [{ id: unknownId, externalId: 'x' }], '/targets/0', 'oneOf'],
    ['one by neither', [{ expectedVersion: 1 }], '/targets/0', 'oneOf'],
    ['one twice', [{ id: unknownId }, { id: unknownId.toUpperCase(), expectedVersion: 1 }], '/targets/1', 'unique'],
    ['a key twice', [{ externalId: 'a' }, { externalId: 'b' }, { externalId: 'a' }], '/targets/2', 'unique'],
    ['one of version 0', [{ id: unknownId, expectedVersion: 0 }], '/targets/0/expectedVersion', 'minimum'],
  ])('not for targets of which there is %s', async (_, targets, path, rule) => {
    const { status, details } = await ask({
      entityType: 'task',
      action: 'update',
      targets,
      changes: { status: 'done' },
    })
    expect({ status, issues: details.issues }).toMatchObject({ status: 400, issues: [{ path, rule }] })
  })

  it('targets alone that are valid: of ten thousand wrong ones it lists a hundred, and counts all', async () => {
    const targets = Array.from({ length: 10_000 }, () => ({ id: 'x' }))
    const { status, details } = await ask({
      entityType: 'task',
      action: 'update',
      targets,
      changes: { status: 'done' },
    })
    expect([status, details.issueCount, Object(details.issues).length]).toEqual([400, 10_000, 100])
  })
})

describe('all targets or none', () => {
  it('404 counts the missing ones, and lists the first ten', async () => {
    const before = await jobsOf()
    const task = await one('task')
    const missing = Array.from({ length: 12 }, (_, index) => ({ externalId: `missing-${index}` }))
    const { status, details } = await ask({ ...doneTasks([]), targets: [task, ...missing] })
    const listed = missing.slice(0, 10).map((reference, index) => ({ index: index + 1, ...reference }))
    expect({ status, details }).toEqual({ status: 404, details: { missingCount: 12, missing: listed } })
    expect(await jobsOf()).toBe(before)
  })

  it.each(['id', 'externalId'])('404 for a record of another organization, by its %s', async member => {
    const other = await aRecord('task', await given.organization())
    const answer = await ask({ ...doneTasks([]), targets: [await one('task'), { [member]: other[member] }] })
    expect(outcome(answer)).toBe('404 not_found')
  })

  it('404 for the key of another application, and for a record of another kind', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord('task', organization)
    const { client } = await organization.application()
    expect(outcome(await client.post('/bulk-jobs', { ...doneTasks([]), targets: [{ externalId }] }))).toBe(
      '404 not_found',
    )
    expect(outcome(await ask({ ...doneTasks([]), targets: [await one('deal')] }))).toBe('404 not_found')
  })

  it('410 for an anonymized contact by its id and by its key, and for the key of a removed record', async () => {
    const organization = await given.shared()
    const asked = { entityType: 'contact', action: 'update', changes: { ownerUuid: organization.operator } }
    const contact = await one('contact')
    const anna = await aRecord('contact', organization)
    await organization.client.delete(`/contacts/${anna.id}?expectedVersion=1`)
    const boris = await aRecord('contact', organization)
    await organization.client.delete(`/contacts/${boris.id}?expectedVersion=1&mode=full`)
    const refused = async (target: JsonObject) => {
      const answer = await ask({ ...asked, targets: [contact, target] })
      return [outcome(answer), answer.details]
    }
    expect(await refused({ id: anna.id })).toEqual(['410 resource_deleted', { path: '/targets/1' }])
    const place = { kind: 'contact', path: '/targets/1' }
    expect(await refused({ externalId: anna.externalId })).toEqual(['410 resource_deleted', place])
    expect(await refused({ externalId: boris.externalId })).toEqual(['410 external_reference_deleted', place])
    const both = await ask({ ...asked, targets: [{ id: anna.id }, { id: unknownId }] })
    expect([outcome(both), both.details.missingCount]).toEqual(['404 not_found', 1])
  })

  it('422 for two references to the same record', async () => {
    const { id, externalId } = await aRecord('task', await given.shared())
    const { status, details } = await ask({ ...doneTasks([]), targets: [{ id }, { externalId }] })
    expect({ status, issues: details.issues }).toMatchObject({
      status: 422,
      issues: [{ path: '/targets/1', rule: 'unique' }],
    })
  })

  it('takes ten thousand, and not one more', async () => {
    const organization = await given.organization()
    const { id } = organization
    await manyTasks(given.api, organization, 10_001)
    const tasks = await given.sql('select id from tasks where organization_id = $1', [id])
    const most = tasks.slice(1)
    const jobId = await admitted(organization.client, doneTasks(most))
    const { data } = await organization.client.get(`/bulk-jobs/${jobId}`)
    expect(data).toMatchObject({ total: 10_000, counters: { pending: 10_000 }, errors: [] })
    const targets = await given.sql('select record_id from bulk_job_targets where job_id = $1 order by ordinal', [
      jobId,
    ])
    expect(targets.map(row => row.record_id)).toEqual(most.map(row => row.id))
    const { status, details } = await organization.client.post('/bulk-jobs', doneTasks(tasks))
    expect({ status, details }).toMatchObject({
      status: 400,
      details: { issues: [{ path: '/targets', rule: 'maxItems' }] },
    })
  })
})

describe('scopes', () => {
  it.each([
    ['amount', '1.00'],
    ['currency', null],
  ])('require crm_amounts_write for %s, after the form of the body and before the targets', async (name, value) => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_amounts_write'))
    const asked = { entityType: 'deal', action: 'update', targets: [{ id: unknownId }], changes: { [name]: value } }
    const answer = await client.post('/bulk-jobs', asked)
    expect(outcome(answer)).toBe('403 insufficient_scope')
    expect(answer.details.missingScopes).toEqual(['crm_amounts_write'])
    expect(outcome(await client.post('/bulk-jobs', { ...asked, targets: [] }))).toBe('400 validation_error')
    expect(outcome(await client.post('/bulk-jobs', { ...asked, changes: { title: 'x' } }))).toBe('404 not_found')
  })

  it('need none of the records themselves', async () => {
    const client = await (await given.shared()).token(['crm_bulk_manage'])
    await admitted(client, doneTasks([await one('task')]))
  })

  it('show the amount of a job to those who may read amounts', async () => {
    const organization = await given.organization()
    const deal = await aRecord('deal', organization)
    const changes = { title: 'Chairs', amount: 1200.5, currency: 'EUR' }
    const id = await admitted(organization.client, {
      entityType: 'deal',
      action: 'update',
      targets: [byId(deal)],
      changes,
    })
    const poor = await organization.token(allBut('crm_amounts_read'))
    for (const path of [`/bulk-jobs/${id}`, '/bulk-jobs']) {
      const whole = await organization.client.get(path)
      const less = await poor.get(path)
      expect((whole.items[0] ?? whole.data).changes).toEqual({ ...changes, amount: '1200.5' })
      expect((less.items[0] ?? less.data).changes).toEqual({ title: 'Chairs', currency: 'EUR' })
      expect([whole.meta.redacted, less.meta.redacted]).toEqual([undefined, ['amounts']])
    }
  })
})

describe('a key', () => {
  it('makes one job for as long as the job is kept, longer than answers are stored', async () => {
    const organization = await given.organization()
    const { client, applicationId } = organization
    const asked = doneTasks(await someRecords('task', 2, organization))
    const key = 'nightly'
    const id = await admitted(client, asked, key)
    await given.sql('delete from idempotency_answers where application_id = $1', [applicationId])
    // What the targets have become meanwhile does not matter.
    await client.delete(`/tasks/${asked.targets[0]?.id}?expectedVersion=1`)
    const again = await client.post('/bulk-jobs', asked, { key })
    expect([again.status, again.data, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      { id, status: 'queued' },
      'true',
    ])
    const other = await client.post('/bulk-jobs', { ...asked, changes: { status: 'todo' } }, { key })
    expect([outcome(other), other.details]).toEqual([
      '409 idempotency_conflict',
      { firstUsedAt: expect.stringMatching(/^2026-.*Z$/u) },
    ])
    expect((await client.get('/bulk-jobs')).items).toHaveLength(1)
  })

  it('belongs to the application', async () => {
    const organization = await given.organization()
    const asked = doneTasks(await someRecords('task', 1, organization))
    const { client } = await organization.application()
    expect(await admitted(client, asked, 'nightly')).not.toBe(await admitted(organization.client, asked, 'nightly'))
  })

  it('is free again when the job was refused', async () => {
    const organization = await given.organization()
    const [task] = await someRecords('task', 1, organization)
    const key = 'retried'
    const refused = await organization.client.post('/bulk-jobs', doneTasks([{ id: unknownId }]), { key })
    expect(refused.status).toBe(404)
    await admitted(organization.client, doneTasks([task ?? {}]), key)
  })
})

describe('the jobs of an application', () => {
  it('are listed newest first, in pages, by kind, without errors', async () => {
    const organization = await given.organization()
    const { client } = organization
    const bodies = [
      doneTasks(await someRecords('task', 1, organization)),
      ...(['contact', 'deal'] as const).map(kind => ({ kind })),
    ]
    const ids: string[] = []
    for (const body of bodies) {
      given.clock.advance(1000)
      if (!('kind' in body)) ids.push(await admitted(client, body))
      else {
        const targets = [byId(await aRecord(body.kind, organization))]
        const asked = { entityType: body.kind, action: 'update', targets, changes: { ownerUuid: null } }
        ids.push(await admitted(client, asked))
      }
    }
    const newest = ids.toReversed()
    const first = await client.get('/bulk-jobs?limit=2')
    const second = await client.get(`/bulk-jobs?limit=2&cursor=${first.meta.nextCursor}`)
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(newest)
    expect(second.meta.nextCursor).toBeNull()
    expect(first.items.every(job => !('errors' in job))).toBe(true)
    for (const [index, kind] of ['task', 'contact', 'deal'].entries()) {
      const { items } = await client.get(`/bulk-jobs?entityType=${kind}&limit=1`)
      expect(items.map(({ id, entityType }) => [id, entityType])).toEqual([[ids[index], kind]])
    }
    const elsewhere = await client.get(`/bulk-jobs?entityType=deal&cursor=${first.meta.nextCursor}`)
    expect(outcome(elsewhere)).toBe('400 invalid_cursor')
    expect(outcome(await client.get('/bulk-jobs?entityType=tag'))).toBe('400 validation_error')
  })

  it('goes on behind a cursor among jobs of one kind', async () => {
    const organization = await given.organization()
    const [task] = await someRecords('task', 1, organization)
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push(await admitted(organization.client, doneTasks([task ?? {}])))
    const first = await organization.client.get('/bulk-jobs?entityType=task&limit=2')
    const path = `/bulk-jobs?entityType=task&limit=2&cursor=${first.meta.nextCursor}`
    const second = await organization.client.get(path)
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.toReversed())
  })

  it('belong to it alone: another application finds none of them', async () => {
    const organization = await given.organization()
    const id = await admitted(organization.client, doneTasks(await someRecords('task', 1, organization)))
    const others = [(await organization.application()).client, (await given.organization()).client]
    for (const client of others) {
      expect(outcome(await client.get(`/bulk-jobs/${id}`))).toBe('404 not_found')
      expect((await client.get('/bulk-jobs')).items).toEqual([])
    }
  })

  it('begin in the order of their requests', async () => {
    const organization = await given.organization()
    const asked = doneTasks(await someRecords('task', 2, organization))
    const id = await admitted(organization.client, asked)
    const { data } = await organization.client.get(`/bulk-jobs/${id}`)
    expect(data).toEqual({
      id,
      entityType: 'task',
      action: 'update',
      changes: { status: 'done' },
      status: 'queued',
      total: 2,
      counters: { pending: 2, succeeded: 0, unchanged: 0, failed: 0, canceled: 0 },
      applicationId: organization.applicationId,
      author: 'application',
      createdAt: expect.any(String),
      startedAt: null,
      finishedAt: null,
      estimatedSecondsLeft: null,
      failure: null,
      errors: [],
    })
  })
})
