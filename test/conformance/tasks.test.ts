import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aTask } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf, nothing } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { erase } from './support/persons.ts'
import { aRecord, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

const patch = ({ client }: TestOrganization, task: JsonObject, members: JsonObject) =>
  client.patch(`/tasks/${task.id}`, { expectedVersion: task.version, ...members })

/** An organization in another time zone; the clock stands at 2026-03-02T10:00:30Z unless a test sets it. */
async function anOrganizationIn(timeZone: string): Promise<TestOrganization> {
  const organization = await given.organization()
  await given.configure(organization, 'update organizations set time_zone = $2 where id = $1', [
    organization.id,
    timeZone,
  ])
  return organization
}

describe('a task of which only the title is given', () => {
  it('is to do, of medium priority, for nobody, about nothing, and has no checklists and files', async () => {
    const organization = await given.shared()
    const { data } = await organization.client.post('/tasks', { title: 'Call' })
    expect(data).toMatchObject({
      title: 'Call',
      description: null,
      type: 'todo',
      status: 'todo',
      priority: 'medium',
      assigneeUuid: null,
      startAt: null,
      dueDate: null,
      completedAt: null,
      isOverdue: false,
      externalId: null,
      dealId: null,
      contactId: null,
      companyId: null,
      filesCount: 0,
      customFields: {},
      tagIds: [],
      checklistProgress: { total: 0, done: 0 },
    })
  })
})

describe('completedAt of a task', () => {
  it('is the time of the create, where the task is created as done', async () => {
    const organization = await given.shared()
    const task = await aRecord('task', organization, { status: 'done' })
    expect(task.completedAt).toBe(new Date(given.clock.now()).toISOString())
  })

  it('is set by done, stays with it, and is cleared by leaving it, whichever status comes next', async () => {
    const organization = await given.shared()
    let task = await aRecord('task', organization, { status: 'canceled' })
    for (const status of ['todo', 'in_progress', 'canceled']) {
      given.clock.advance(1000)
      task = (await patch(organization, task, { status: 'done' })).data
      const completedAt = new Date(given.clock.now()).toISOString()
      expect(task).toMatchObject({ status: 'done', completedAt })
      given.clock.advance(1000)
      task = (await patch(organization, task, { description: status })).data
      expect(task.completedAt).toBe(completedAt)
      task = (await patch(organization, task, { status })).data
      expect(task).toMatchObject({ status, completedAt: null })
    }
  })

  it('is named in the change event beside the status', async () => {
    const organization = await given.shared()
    const task = await aRecord('task', organization)
    const { events, audit } = await factsOf(given, organization, () => patch(organization, task, { status: 'done' }))
    expect(events).toMatchObject([{ kind: 'task.updated', changedFields: ['status', 'completedAt'] }])
    expect(audit[0]?.changes).toContainEqual({ field: 'status', before: 'todo', after: 'done' })
  })
})

describe('dueDate of a task', () => {
  it('is shown in the precision it was sent in, a timestamp in UTC', async () => {
    const organization = await given.shared()
    const shown = async (dueDate: string) => (await aRecord('task', organization, { dueDate })).dueDate
    expect(await shown('2026-05-01')).toBe('2026-05-01')
    expect(await shown('2026-05-01T00:00:00Z')).toBe('2026-05-01T00:00:00.000Z')
    expect(await shown('2026-05-01T10:30:00.1239+02:00')).toBe('2026-05-01T08:30:00.123Z')
  })

  it('sent again in another offset is no change, in another precision it is one', async () => {
    const organization = await given.shared()
    const task = await aRecord('task', organization, { dueDate: '2026-05-01T10:00:00+02:00' })
    expect((await patch(organization, task, { dueDate: '2026-05-01T08:00:00Z' })).data.version).toBe(1)
    const { data } = await patch(organization, task, { dueDate: '2026-05-01' })
    expect(data).toMatchObject({ version: 2, dueDate: '2026-05-01' })
  })
})

describe('startAt of a task', () => {
  it('after the due date is refused: 422 on create, on PATCH of either, and on upsert', async () => {
    const organization = await given.shared()
    const { client } = organization
    const late = { title: 'x', startAt: '2026-05-02T00:00:00Z', dueDate: '2026-05-01' }
    const task = await aRecord('task', organization, { dueDate: '2026-05-01' })
    const started = await aRecord('task', organization, { startAt: '2026-05-02T00:00:00Z' })
    const answers = [
      await client.post('/tasks', late),
      await patch(organization, task, { startAt: late.startAt }),
      await patch(organization, started, { dueDate: late.dueDate }),
      await client.post('/tasks/upsert', { externalId: `late-${task.id}`, ...late }),
      await client.post('/tasks/upsert', { externalId: task.externalId, expectedVersion: 1, startAt: late.startAt }),
    ]
    for (const answer of answers)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/startAt']])
  })

  it('may be any time of the day of a bare due date, in the time zone of the organization', async () => {
    const organization = await anOrganizationIn('America/New_York')
    const create = (startAt: string) =>
      organization.client.post('/tasks', { title: 'x', startAt, dueDate: '2026-03-08' })
    expect((await create('2026-03-09T03:59:59.999Z')).status).toBe(201)
    expect((await create('2026-03-09T04:00:00.000Z')).status).toBe(422)
  })

  it('of a stored task stays good when the organization moves to another time zone', async () => {
    const organization = await anOrganizationIn('America/New_York')
    const task = await aRecord('task', organization, { startAt: '2026-05-02T03:00:00Z', dueDate: '2026-05-01' })
    await given.configure(organization, `update organizations set time_zone = 'UTC' where id = $1`, [organization.id])
    expect((await patch(organization, task, { status: 'in_progress' })).status).toBe(200)
  })
})

describe('isOverdue of a task', () => {
  const overdue = async (organization: TestOrganization, id: unknown) =>
    (await organization.client.get(`/tasks/${id}`)).data.isOverdue

  it('becomes true by the time alone: one millisecond after a due timestamp', async () => {
    given.clock.set('2026-03-02T10:00:00.000Z')
    const organization = await given.organization()
    const { id, isOverdue } = await aRecord('task', organization, { dueDate: '2026-03-02T10:00:00Z' })
    expect([isOverdue, await overdue(organization, id)]).toEqual([false, false])
    given.clock.advance(1)
    expect(await overdue(organization, id)).toBe(true)
  })

  it.each([
    ['America/New_York', '2026-03-08', '2026-03-09T04:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-08', '2026-03-08T10:00:00.000Z'],
    ['UTC', '2026-03-08', '2026-03-09T00:00:00.000Z'],
  ])('becomes true in %s when %s is over', async (timeZone, dueDate, end) => {
    const organization = await anOrganizationIn(timeZone)
    given.clock.set('2026-03-02T10:00:00.000Z')
    const { id } = await aRecord('task', organization, { dueDate })
    given.clock.set(end)
    given.clock.advance(-1)
    expect(await overdue(organization, id)).toBe(false)
    given.clock.advance(1)
    expect(await overdue(organization, id)).toBe(true)
  })

  it('is false without a due date, and for a task that is done or canceled', async () => {
    given.clock.set('2026-03-02T10:00:30.000Z')
    const organization = await given.shared()
    const shown = async (members: JsonObject) => (await aRecord('task', organization, members)).isOverdue
    expect(await shown({})).toBe(false)
    for (const [status, expected] of [
      ['todo', true],
      ['in_progress', true],
      ['done', false],
      ['canceled', false],
    ] as const) {
      expect(await shown({ status, dueDate: '2026-03-01' })).toBe(expected)
      expect(await shown({ status, dueDate: '2026-03-01T00:00:00Z' })).toBe(expected)
    }
  })

  it('is the same in every answer that shows the task', async () => {
    given.clock.set('2026-03-02T10:00:30.000Z')
    const organization = await given.organization()
    const { client } = organization
    const task = await aRecord('task', organization, { dueDate: '2026-03-01' })
    const { externalId } = task
    const shown = [
      task,
      (await client.get('/tasks')).items[0],
      (await patch(organization, task, {})).data,
      (await client.post('/tasks/upsert', { externalId, expectedVersion: 1 })).data,
      (await client.post('/tasks/batch/get', { items: [{ externalId }] })).items[0]?.data,
      (await client.post('/tasks/batch/upsert', { items: [{ externalId, expectedVersion: 1 }] })).items[0]?.data,
    ]
    expect(shown).toEqual(shown.map(() => expect.objectContaining({ id: task.id, isOverdue: true })))
  })

  it('that changes with the time raises no version and leaves no event', async () => {
    given.clock.set('2026-03-01T10:00:00.000Z')
    const organization = await given.organization()
    const task = await aRecord('task', organization, { dueDate: '2026-03-01' })
    const facts = await factsOf(given, organization, async () => {
      given.clock.set('2026-03-05T10:00:00.000Z')
      expect((await patch(organization, task, {})).data).toEqual({ ...task, isOverdue: true })
    })
    expect(facts).toEqual(nothing)
  })
})

describe.each(['deal', 'contact', 'company'] as const)('%s of a task', kind => {
  const idMember = `${kind}Id`

  it('is given by id or by key, shown as its id, and kept by a PATCH that does not name it', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    for (const reference of [{ id }, { id: String(id).toUpperCase() }, { externalId }]) {
      const task = await aRecord('task', organization, { [kind]: reference })
      expect(task[idMember]).toBe(id)
      expect(task).not.toHaveProperty(kind)
      expect((await patch(organization, task, { title: 'Other' })).data).toMatchObject({ [idMember]: id, version: 2 })
    }
  })

  it('is cleared by null, and named in the change event as answers name it', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const task = await aRecord('task', organization, { [kind]: { id } })
    const { events, audit } = await factsOf(given, organization, async () => {
      expect((await patch(organization, task, { [kind]: null })).data).toMatchObject({ [idMember]: null, version: 2 })
    })
    expect(events).toMatchObject([{ kind: 'task.updated', resourceId: task.id, changedFields: [idMember] }])
    expect(audit[0]?.changes).toEqual([{ field: idMember, before: id, after: null }])
  })

  it('set to its own value, by id or key, is a no-op', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const task = await aRecord('task', organization, { [kind]: { id } })
    expect((await patch(organization, task, { [kind]: { externalId } })).data).toEqual(task)
  })

  it('keeps its own version', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    await aRecord('task', organization, { [kind]: { id: record.id } })
    expect((await organization.client.get(`/${plurals[kind]}/${record.id}`)).data).toEqual(record)
  })

  it('that does not exist is 404, naming its place, before a stale version', async () => {
    const organization = await given.shared()
    const task = await aRecord('task', organization)
    const answer = await patch(organization, { ...task, version: 7 }, { [kind]: { id: unknownId } })
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: `/${kind}` }])
    const created = await organization.client.post('/tasks', { title: 'x', [kind]: { externalId: 'nobody' } })
    expect([outcome(created), created.details]).toEqual(['404 not_found', { path: `/${kind}` }])
  })

  it.each([
    [{}],
    [{ id: unknownId, externalId: 'a' }],
    [[{ id: unknownId }]],
    [unknownId],
    [{ id: 'nonsense' }],
    [{ externalId: null }],
    [1],
  ])('refuses %j: 400', async wrong => {
    const organization = await given.shared()
    const answer = await organization.client.post('/tasks', { title: 'x', [kind]: wrong })
    expect(outcome(answer)).toBe('400 validation_error')
    for (const path of issuePaths(answer)) expect(String(path)).toMatch(new RegExp(`^/${kind}(/|$)`, 'u'))
  })
})

describe('references of a task', () => {
  it('that are unknown come before one that is gone, wherever they stand', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('contact', organization)
    await erase(organization, id, 'anonymize')
    const create = (members: JsonObject) => organization.client.post('/tasks', { title: 'x', ...members })
    const both = await create({ contact: { id }, company: { id: unknownId } })
    expect([outcome(both), both.details]).toEqual(['404 not_found', { path: '/company' }])
    expect(outcome(await create({ contact: { id } }))).toBe('410 resource_deleted')
  })
})

describe('a task about a record that goes', () => {
  it('stays, without the contact that is fully deleted, and gets a version and an event', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    const task = await aRecord('task', organization, { contact: { id } })
    const { events } = await factsOf(given, organization, async () => {
      expect((await erase(organization, id, 'full')).data.unlinked).toEqual({ deals: 0, companies: 0, tasks: 1 })
    })
    expect((await organization.client.get(`/tasks/${task.id}`)).data).toMatchObject({ contactId: null, version: 2 })
    expect(events).toHaveLength(2)
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'task.updated', resourceId: task.id, changedFields: ['contactId'] }),
    )
  })

  it('keeps the id of a contact that is anonymized, and its own version', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    const task = await aRecord('task', organization, { contact: { id } })
    await erase(organization, id, 'anonymize')
    expect((await organization.client.get(`/tasks/${task.id}`)).data).toEqual(task)
  })

  it('takes the id of a contact that was anonymized once more, and no other of such: 410', async () => {
    const organization = await given.organization()
    const [{ id }, other] = [await aRecord('contact', organization), await aRecord('contact', organization)]
    const task = await aRecord('task', organization, { contact: { id } })
    for (const contact of [id, other.id]) await erase(organization, contact, 'anonymize')
    expect((await patch(organization, task, { contact: { id } })).data).toEqual(task)
    expect(outcome(await patch(organization, task, { contact: { id: other.id } }))).toBe('410 resource_deleted')
    const upserted = { ...aTask(), contact: { id: other.id } }
    expect(outcome(await organization.client.post('/tasks/upsert', upserted))).toBe('410 resource_deleted')
  })

  it('is not deleted with a stale version: 409 with the current one', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('task', organization)
    const answer = await organization.client.delete(`/tasks/${id}?expectedVersion=2`)
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
  })

  it('stays, without the deal that is deleted, and gets a version and an event in the same transaction', async () => {
    const organization = await given.organization()
    const { client } = organization
    const deal = await aRecord('deal', organization)
    const tasks = [
      await aRecord('task', organization, { deal: { id: deal.id } }),
      await aRecord('task', organization, { deal: { id: deal.id } }),
    ]
    const other = await aRecord('task', organization, { deal: { id: (await aRecord('deal', organization)).id } })
    const { events, audit } = await factsOf(given, organization, async () => {
      expect((await client.delete(`/deals/${deal.id}?expectedVersion=1`)).status).toBe(200)
    })
    for (const { id } of tasks)
      expect((await client.get(`/tasks/${id}`)).data).toMatchObject({ dealId: null, version: 2 })
    expect((await client.get(`/tasks/${other.id}`)).data).toEqual(other)
    expect(events.map(({ kind, changedFields }) => [kind, changedFields])).toEqual([
      ['task.updated', ['dealId']],
      ['task.updated', ['dealId']],
      ['deal.deleted', []],
    ])
    expect(new Set(events.map(({ transactionId }) => transactionId)).size).toBe(1)
    expect(audit.map(({ action }) => action).toSorted()).toEqual(['deal.deleted', 'task.updated', 'task.updated'])
  })

  it('keeps it where the deletion is refused for a stale version', async () => {
    const organization = await given.organization()
    const deal = await aRecord('deal', organization)
    const task = await aRecord('task', organization, { deal: { id: deal.id } })
    const answer = await organization.client.delete(`/deals/${deal.id}?expectedVersion=7`)
    expect(outcome(answer)).toBe('409 version_conflict')
    expect((await organization.client.get(`/tasks/${task.id}`)).data).toEqual(task)
  })
})
