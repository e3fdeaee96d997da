import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { aChecklist, aTaskWithChecklists } from './support/checklists.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()

/** A checklist of the shared organization, with calls for it and looks at it. */
async function aList(items = 0) {
  const organization = await given.shared()
  const checklist = await aChecklist(organization, items)
  const { client } = organization
  const { task, checklists, path } = checklist
  const shown = async () => objectOf((await client.get(checklists)).items[0])
  return {
    ...checklist,
    organization,
    client,
    shown,
    taskNow: async () => (await client.get(`/tasks/${task}`)).data,
    item: (id: unknown) => `${path}/items/${id}`,
    reorder: (itemIds: readonly unknown[], members: JsonObject = {}) =>
      client.post(`${path}/items/reorder`, { itemIds, ...members }),
  }
}

const itemsOf = (checklist: JsonObject) => (Array.isArray(checklist.items) ? checklist.items.map(objectOf) : [])
const idsOf = (checklist: JsonObject) => itemsOf(checklist).map(({ id }) => id)
const versions = async ({ shown, taskNow }: Awaited<ReturnType<typeof aList>>) => {
  const checklist = await shown()
  const { version } = await taskNow()
  return { task: version, checklist: checklist.version, items: itemsOf(checklist).map(item => item.version) }
}
const taskVersion = ({ meta }: Answer) => meta.taskVersion

describe('a checklist', () => {
  it('has exactly the members that are specified, and the version of its task in meta', async () => {
    const organization = await given.shared()
    const { task, checklists } = await aTaskWithChecklists(organization)
    const { status, body } = await organization.client.post(checklists, { title: '  Before the call ' })
    const now = new Date(given.clock.now()).toISOString()
    const data = { id: expect.any(String), taskId: task, version: 1, title: 'Before the call', position: 0, items: [] }
    expect([status, body]).toEqual([
      201,
      { data: { ...data, createdAt: now, updatedAt: now }, meta: { taskVersion: 2 } },
    ])
  })

  it('is one of fifty at most', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { checklists } = await aTaskWithChecklists(organization)
    for (let made = 0; made < 50; made += 1)
      expect((await client.post(checklists, { title: `${made}` })).status).toBe(201)
    const answer = await client.post(checklists, { title: 'One more' })
    expect([outcome(answer), answer.details.limit]).toEqual(['422 validation_error', 50])
  })

  it('is listed page by page, each once, with its items', async () => {
    const { client, checklists, items } = await aList(2)
    for (const title of ['Two', 'Three']) await client.post(checklists, { title })
    const first = await client.get(`${checklists}?limit=2`)
    const second = await client.get(`${checklists}?limit=2&cursor=${first.meta.nextCursor}`)
    expect([...first.items, ...second.items].map(({ title }) => title)).toEqual(['Before the call', 'Two', 'Three'])
    expect([idsOf(objectOf(first.items[0])), second.meta.nextCursor]).toEqual([items, null])
  })

  it('is changed by PATCH, which compares its own version', async () => {
    const { client, checklists, path } = await aList()
    await client.post(checklists, { title: 'During the call' })
    const changed = await client.patch(path, { expectedVersion: 1, title: 'After the call', position: 4 })
    expect(changed.data).toMatchObject({ version: 2, title: 'After the call', position: 1, items: [] })
    expect(taskVersion(changed)).toBe(4)
    const late = await client.patch(path, { expectedVersion: 1, title: 'Late' })
    for (const stale of [late, await client.delete(`${path}?expectedVersion=1`)])
      expect([outcome(stale), stale.details]).toEqual(['409 version_conflict', { currentVersion: 2 }])
  })

  it('keeps all versions when nothing changes, and leaves no trace', async () => {
    const list = await aList(1)
    const { organization, client, path, item, items } = list
    const before = await versions(list)
    const facts = await factsOf(given, organization, async () => {
      expect(taskVersion(await client.patch(path, { expectedVersion: 2, title: 'Before the call' }))).toBe(3)
      expect((await client.patch(item(items[0]), { expectedVersion: 1, isDone: false })).status).toBe(200)
    })
    expect([facts, await versions(list)]).toEqual([nothing, before])
  })

  it('keeps an item that is deleted with a stale version: 409 with the current one', async () => {
    const { client, items, item } = await aList(1)
    const stale = await client.delete(`${item(items[0])}?expectedVersion=2`)
    expect([outcome(stale), stale.details]).toEqual(['409 version_conflict', { currentVersion: 1 }])
  })

  it('goes with its items, and takes them out of the progress of the task', async () => {
    const { client, id, task, path, items, item, taskNow } = await aList(2)
    await client.patch(item(items[0]), { expectedVersion: 1, isDone: true })
    const { version } = await taskNow()
    const { status, body } = await client.delete(`${path}?expectedVersion=3`)
    expect([status, body]).toEqual([200, { data: { id, deleted: true }, meta: { taskVersion: Number(version) + 1 } }])
    expect((await taskNow()).checklistProgress).toEqual({ total: 0, done: 0 })
    expect(await given.sql('select from checklist_items where checklist_id = $1', [id])).toEqual([])
    expect((await client.get(`/tasks/${task}/checklists`)).items).toEqual([])
    expect(outcome(await client.patch(item(items[0]), { expectedVersion: 2 }))).toBe('404 not_found')
  })

  it('goes with its task', async () => {
    const { client, id, task, checklists, taskNow } = await aList(1)
    const { version } = await taskNow()
    expect((await client.delete(`/tasks/${task}?expectedVersion=${version}`)).status).toBe(200)
    expect(outcome(await client.get(checklists))).toBe('404 not_found')
    expect(await given.sql('select from checklists where id = $1', [id])).toEqual([])
    expect(await given.sql('select from checklist_items where checklist_id = $1', [id])).toEqual([])
  })

  it('is not found below another task, nor its items below another checklist', async () => {
    const one = await aList(1)
    const two = await aList(1)
    const { client } = one
    const answers = [
      await client.patch(`${two.checklists}/${one.id}`, { expectedVersion: 2, title: 'x' }),
      await client.delete(`${two.checklists}/${one.id}?expectedVersion=2`),
      await client.post(`${two.checklists}/${one.id}/items`, { text: 'x' }),
      await client.post(`${two.checklists}/${one.id}/items/reorder`, { itemIds: one.items }),
      await client.patch(two.item(one.items[0]), { expectedVersion: 1, isDone: true }),
      await client.delete(`${two.item(one.items[0])}?expectedVersion=1`),
    ]
    expect(answers.map(outcome)).toEqual(answers.map(() => '404 not_found'))
    expect(await versions(one)).toEqual({ task: 3, checklist: 2, items: [1] })
  })

  it.each<readonly [string, JsonObject, string]>([
    ['no title', {}, '/title'],
    ['a blank title', { title: ' ' }, '/title'],
    ['a title of 301 code points', { title: 'x'.repeat(301) }, '/title'],
    ['a negative position', { title: 'x', position: -1 }, '/position'],
    ['null for the position', { title: 'x', position: null }, '/position'],
    ['items', { title: 'x', items: [] }, '/items'],
    ['an externalId', { title: 'x', externalId: 'a' }, '/externalId'],
    ['an internal member', { title: 'x', itemSetVersion: 1 }, '/itemSetVersion'],
  ])('is refused with %s: 400', async (_, body, path) => {
    const { client, checklists } = await aList()
    const answer = await client.post(checklists, body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })
})

describe('an item of a checklist', () => {
  it('has exactly the members that are specified, comes last, and counts in the progress of the task', async () => {
    const { client, id, path, items, shown, taskNow } = await aList(1)
    const { status, body } = await client.post(`${path}/items`, { text: ' Look up the last offer ', isDone: true })
    const now = new Date(given.clock.now()).toISOString()
    const data = {
      id: expect.any(String),
      checklistId: id,
      version: 1,
      text: 'Look up the last offer',
      position: 1,
      isDone: true,
      doneAt: now,
      doneByUuid: null,
      createdAt: now,
      updatedAt: now,
    }
    expect([status, body]).toEqual([201, { data, meta: { taskVersion: 4 } }])
    expect(idsOf(await shown())).toEqual([items[0], objectOf(body.data).id])
    expect((await taskNow()).checklistProgress).toEqual({ total: 2, done: 1 })
  })

  it('that is done shows since when, until it is no longer done', async () => {
    given.clock.set('2026-04-01T10:00:00.000Z')
    const { client, items, item, taskNow } = await aList(1)
    const patch = async (expectedVersion: number, members: JsonObject) =>
      (await client.patch(item(items[0]), { expectedVersion, ...members })).data
    expect(await patch(1, { isDone: true })).toMatchObject({ doneAt: '2026-04-01T10:00:00.000Z', doneByUuid: null })
    given.clock.set('2026-04-02T10:00:00.000Z')
    expect(await patch(2, { text: 'Still done' })).toMatchObject({ version: 3, doneAt: '2026-04-01T10:00:00.000Z' })
    expect((await taskNow()).checklistProgress).toEqual({ total: 1, done: 1 })
    expect(await patch(3, { isDone: false })).toMatchObject({ isDone: false, doneAt: null, doneByUuid: null })
    expect((await taskNow()).checklistProgress).toEqual({ total: 1, done: 0 })
  })

  it('raises itself and the task when it changes, not the checklist', async () => {
    const list = await aList(2)
    const { client, items, item } = list
    const before = await versions(list)
    expect(before).toEqual({ task: 4, checklist: 3, items: [1, 1] })
    const answer = await client.patch(item(items[1]), { expectedVersion: 1, isDone: true })
    expect([answer.data.version, taskVersion(answer)]).toEqual([2, 5])
    expect(await versions(list)).toEqual({ task: 5, checklist: 3, items: [1, 2] })
  })

  it('raises itself, the checklist and the task when it moves', async () => {
    const list = await aList(2)
    const { client, items, item, shown } = list
    const answer = await client.patch(item(items[1]), { expectedVersion: 1, position: 0 })
    expect([answer.data, taskVersion(answer)]).toMatchObject([{ version: 2, position: 0 }, 5])
    expect(idsOf(await shown())).toEqual(items.toReversed())
    expect(await versions(list)).toEqual({ task: 5, checklist: 4, items: [2, 1] })
  })

  it('raises checklist and task when it comes and goes', async () => {
    const list = await aList(1)
    const { client, items, item } = list
    expect(await versions(list)).toEqual({ task: 3, checklist: 2, items: [1] })
    const { status, body } = await client.delete(`${item(items[0])}?expectedVersion=1`)
    expect([status, body]).toEqual([200, { data: { id: items[0], deleted: true }, meta: { taskVersion: 4 } }])
    expect(await versions(list)).toEqual({ task: 4, checklist: 3, items: [] })
  })

  it('is one of two hundred at most', async () => {
    const { client, id, path } = await aList()
    const { id: organizationId } = await given.shared()
    await given.sql(
      `insert into checklist_items (organization_id, id, version, created_at, updated_at, checklist_id, text, is_done, position)
       select $1, gen_random_uuid(), 1, now(), now(), $2, 'x', false, n from generate_series(0, 199) as n`,
      [organizationId, id],
    )
    const answer = await client.post(`${path}/items`, { text: 'One more' })
    expect([outcome(answer), answer.details.limit]).toEqual(['422 validation_error', 200])
  })

  it('lacks who has done it without crm_operators_read, in the checklist too, and the answer says so', async () => {
    const { organization, checklists, item, items, path } = await aList(1)
    const client = await organization.token(allBut('crm_operators_read'))
    const listed = await client.get(checklists)
    const changed = await client.patch(item(items[0]), { expectedVersion: 1, isDone: true })
    const reordered = await client.post(`${path}/items/reorder`, { itemIds: items })
    const shown = [itemsOf(objectOf(listed.items[0]))[0], changed.data, itemsOf(reordered.data)[0]]
    for (const each of shown) expect(Object.keys(objectOf(each))).not.toContain('doneByUuid')
    expect([listed, changed, reordered].map(({ meta }) => meta.redacted)).toEqual([1, 2, 3].map(() => ['operators']))
  })

  it.each<readonly [string, JsonObject, string]>([
    ['no text', {}, '/text'],
    ['a text of 2001 code points', { text: 'x'.repeat(2001) }, '/text'],
    ['a text for isDone', { text: 'x', isDone: 'true' }, '/isDone'],
    ['null for isDone', { text: 'x', isDone: null }, '/isDone'],
    ['doneAt', { text: 'x', doneAt: null }, '/doneAt'],
    ['doneByUuid', { text: 'x', doneByUuid: unknownId }, '/doneByUuid'],
  ])('is refused with %s: 400', async (_, body, path) => {
    const { client, path: checklist } = await aList()
    const answer = await client.post(`${checklist}/items`, body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })
})

describe('reordering a checklist', () => {
  it('answers the checklist in the new order, raising it and the task but no item', async () => {
    const list = await aList(3)
    const { items, reorder, shown } = list
    const [a, b, c] = items
    const answer = await reorder([c, String(a).toUpperCase(), b], { expectedVersion: 4 })
    expect([answer.status, answer.data.version, answer.meta]).toEqual([200, 5, { taskVersion: 6 }])
    expect(itemsOf(answer.data).map(({ id, position }) => [id, position])).toEqual([
      [c, 0],
      [a, 1],
      [b, 2],
    ])
    expect(await shown()).toEqual(answer.data)
    expect(await versions(list)).toEqual({ task: 6, checklist: 5, items: [1, 1, 1] })
  })

  it('to the order that it has changes nothing, also where a removed item has left a gap', async () => {
    const list = await aList(3)
    const { organization, client, items, item, reorder } = list
    await client.delete(`${item(items[0])}?expectedVersion=1`)
    const before = await versions(list)
    const facts = await factsOf(given, organization, async () => {
      const answer = await reorder(items.slice(1))
      expect([answer.status, answer.meta]).toEqual([200, { taskVersion: before.task }])
    })
    expect([facts, await versions(list)]).toEqual([nothing, before])
  })

  it('is refused unless every item is named once: 422 with the difference', async () => {
    const list = await aList(3)
    const { items, reorder } = list
    const [a, b, c] = items
    const answer = await reorder([b, unknownId, b, String(b).toUpperCase()])
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/itemIds']])
    expect(answer.details).toMatchObject({ missing: [a, c], unexpected: [unknownId], duplicates: [b] })
    expect((await reorder([a, b])).details).toMatchObject({ missing: [c], unexpected: [], duplicates: [] })
    expect(outcome(await reorder([]))).toBe('422 validation_error')
    expect(await versions(list)).toEqual({ task: 5, checklist: 4, items: [1, 1, 1] })
  })

  it('of an empty checklist takes no ids', async () => {
    const { reorder } = await aList()
    expect((await reorder([])).status).toBe(200)
  })

  it('compares the version of the checklist where it is given, before the ids', async () => {
    const { items, reorder } = await aList(2)
    const stale = await reorder([unknownId], { expectedVersion: 2 })
    expect([outcome(stale), stale.details]).toEqual(['409 version_conflict', { currentVersion: 3 }])
    expect((await reorder(items.toReversed())).status).toBe(200)
  })

  it.each<readonly [string, JsonObject, string]>([
    ['no ids', { itemIds: undefined }, '/itemIds'],
    ['an id that is none', { itemIds: ['x'] }, '/itemIds/0'],
    ['201 ids', { itemIds: Array.from({ length: 201 }, () => unknownId) }, '/itemIds'],
    ['null for the version', { expectedVersion: null }, '/expectedVersion'],
  ])('is refused with %s: 400', async (_, members, path) => {
    const { reorder } = await aList()
    const answer = await reorder([], members)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })
})

describe('every change of checklists', () => {
  type Act = (list: Awaited<ReturnType<typeof aList>>) => Promise<unknown>
  const acts: readonly (readonly [string, Act])[] = [
    ['a new checklist', ({ client, checklists }) => client.post(checklists, { title: 'x' })],
    ['another title', ({ client, path }) => client.patch(path, { expectedVersion: 3, title: 'x' })],
    ['a checklist removed', ({ client, path }) => client.delete(`${path}?expectedVersion=3`)],
    ['a new item', ({ client, path }) => client.post(`${path}/items`, { text: 'x' })],
    ['an item done', ({ client, item, items }) => client.patch(item(items[0]), { expectedVersion: 1, isDone: true })],
    ['an item removed', ({ client, item, items }) => client.delete(`${item(items[0])}?expectedVersion=1`)],
    ['another order', ({ reorder, items }) => reorder(items.toReversed())],
  ]

  it.each(acts)('leaves one task.updated event that names checklists, and one audit entry: %s', async (_, act) => {
    const list = await aList(2)
    const { events, audit } = await factsOf(given, list.organization, () => act(list))
    expect(events).toMatchObject([
      { kind: 'task.updated', resourceType: 'task', resourceId: list.task, version: 5, changedFields: ['checklists'] },
    ])
    expect(audit).toMatchObject([{ action: 'task.updated', resourceId: list.task, versions: [4, 5] }])
    const fields = new Set(audit[0]?.changes.map(({ field }) => field))
    expect([...fields]).toEqual(['checklists'])
  })

  it('shows the item before and after in the audit log', async () => {
    const { organization, client, items, item } = await aList(1)
    const { audit } = await factsOf(given, organization, () =>
      client.patch(item(items[0]), { expectedVersion: 1, text: 'Other' }),
    )
    expect(audit[0]?.changes).toMatchObject([
      { field: 'checklists', before: { id: items[0], text: '0' }, after: { id: items[0], text: 'Other', version: 2 } },
    ])
  })

  it('answers a writer who may not read tasks with a receipt and the version of the task', async () => {
    const { organization, checklists, path, items, item } = await aList(1)
    const client = await organization.token(['crm_tasks_write'])
    const added = await client.post(`${path}/items`, { text: 'x' })
    const answers = [
      added,
      await client.post(checklists, { title: 'x' }),
      await client.patch(path, { expectedVersion: 3, title: 'y' }),
      await client.patch(item(items[0]), { expectedVersion: 1, isDone: true }),
      await client.post(`${path}/items/reorder`, { itemIds: [added.data.id, ...items] }),
    ]
    for (const { data } of answers) expect(Object.keys(data).toSorted()).toEqual(['id', 'version'])
    expect(answers.map(taskVersion)).toEqual([4, 5, 6, 7, 8])
  })
})
