import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aChecklist } from '../conformance/support/checklists.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { objectOf } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

describe('checklists at the same time', () => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi()
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  /** The checklist as its task shows it. */
  async function shown({ task, checklists }: { task: string; checklists: string }) {
    const checklist = objectOf((await organization.client.get(checklists)).items[0])
    const items: JsonObject[] = Array.isArray(checklist.items) ? checklist.items.map(objectOf) : []
    return { checklist, items, task: (await organization.client.get(`/tasks/${task}`)).data }
  }

  it('take the items of forty clients, each once, at a place of its own', async () => {
    const list = await aChecklist(organization)
    const added = await Promise.all(
      Array.from({ length: 40 }, (_, index) => organization.client.post(`${list.path}/items`, { text: `${index}` })),
    )
    expect(added.map(({ status }) => status)).toEqual(added.map(() => 201))
    expect(new Set(added.map(({ meta }) => meta.taskVersion)).size).toBe(40)
    const { checklist, items, task } = await shown(list)
    expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index))
    expect(new Set(items.map(({ text }) => text)).size).toBe(40)
    expect([checklist.version, task.version, task.checklistProgress]).toEqual([41, 42, { total: 40, done: 0 }])
  })

  it('lose and double no item while some clients reorder them and others add', async () => {
    const { client } = organization
    const list = await aChecklist(organization, 6)
    const reorders = Array.from({ length: 10 }, (_, turn) => {
      const itemIds = [...list.items.slice(turn % 6), ...list.items.slice(0, turn % 6)]
      return client.post(`${list.path}/items/reorder`, { itemIds })
    })
    const adds = Array.from({ length: 10 }, (_, index) => client.post(`${list.path}/items`, { text: `new ${index}` }))
    const answers = await Promise.all([...reorders, ...adds])
    // Who reorders after an item has come does not name it.
    for (const { status, details } of answers.slice(0, 10)) {
      expect([200, 422]).toContain(status)
      if (status === 422) expect([details.unexpected, details.duplicates]).toEqual([[], []])
    }
    expect(answers.slice(10).map(({ status }) => status)).toEqual(adds.map(() => 201))
    const { items, task } = await shown(list)
    const expected = [...list.items, ...answers.slice(10).map(({ data }) => data.id)]
    expect(items.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
    expect(new Set(items.map(({ position }) => position)).size).toBe(16)
    expect(task.checklistProgress).toEqual({ total: 16, done: 0 })
  })

  it('are shown with the items of one moment: never empty because they are just being deleted', async () => {
    const { client } = organization
    for (let round = 0; round < 20; round += 1) {
      const list = await aChecklist(organization, 2)
      const reads = Array.from({ length: 12 }, async (_, turn) => {
        await new Promise(resolve => setTimeout(resolve, turn / 2))
        return client.get(list.checklists)
      })
      const removed = client.delete(`${list.path}?expectedVersion=3`)
      const shownItems = (await Promise.all(reads)).flatMap(({ items }) => items.map(checklist => checklist.items))
      expect((await removed).status).toBe(200)
      for (const items of shownItems) expect(items).toHaveLength(2)
    }
  })

  it('let one of twenty clients reorder at one version, and give the others the current version', async () => {
    const list = await aChecklist(organization, 4)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const itemIds = [...list.items.slice(1 + (turn % 3)), ...list.items.slice(0, 1 + (turn % 3))]
        return organization.client.post(`${list.path}/items/reorder`, { itemIds, expectedVersion: 5 })
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(({ details }) => details)).toEqual(Array.from({ length: 19 }, () => ({ currentVersion: 6 })))
  })

  it('let one of twenty clients remove a checklist to which others add, and keep no item of it', async () => {
    const { client } = organization
    const list = await aChecklist(organization)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? client.delete(`${list.path}?expectedVersion=1`)
          : client.post(`${list.path}/items`, { text: `${index}` }),
      ),
    )
    const removals = answers.filter((_, index) => index % 2 === 0).map(({ status }) => status)
    const { items } = await client.get(list.checklists)
    expect(removals.filter(status => status === 200)).toHaveLength(1 - items.length)
    const { task } = await shown(list)
    const added = answers.filter(({ status }) => status === 201).length
    expect(task.checklistProgress).toEqual({ total: items.length === 0 ? 0 : added, done: 0 })
  })

  const act = fc.oneof(
    fc.record({ act: fc.constant('add' as const), done: fc.boolean() }),
    fc.record({ act: fc.constant('mark' as const), place: fc.nat({ max: 7 }), done: fc.boolean() }),
    fc.record({ act: fc.constant('remove' as const), place: fc.nat({ max: 7 }) }),
    fc.record({ act: fc.constant('reorder' as const), from: fc.nat({ max: 7 }), to: fc.nat({ max: 7 }) }),
  )

  it('are the sum of their changes after any sequence, with the versions', { timeout: 120_000 }, async () => {
    const { client } = organization
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async acts => {
        const list = await aChecklist(organization)
        let expected: { id: unknown; isDone: boolean; version: number }[] = []
        const versions = { task: 2, checklist: 1 }
        for (const step of acts) {
          const at = 'place' in step ? expected[step.place] : undefined
          const path = `${list.path}/items`
          let answer: { status: number; meta: JsonObject; data: JsonObject } | undefined
          if (step.act === 'add') {
            answer = await client.post(path, { text: 'x', isDone: step.done })
            expected.push({ id: answer.data.id, isDone: step.done, version: 1 })
            versions.task += 1
            versions.checklist += 1
          } else if (step.act === 'mark' && at !== undefined) {
            answer = await client.patch(`${path}/${at.id}`, { expectedVersion: at.version, isDone: step.done })
            if (at.isDone !== step.done) {
              Object.assign(at, { isDone: step.done, version: at.version + 1 })
              versions.task += 1
            }
          } else if (step.act === 'remove' && at !== undefined) {
            answer = await client.delete(`${path}/${at.id}?expectedVersion=${at.version}`)
            expected = expected.filter(item => item !== at)
            versions.task += 1
            versions.checklist += 1
          } else if (step.act === 'reorder') {
            const before = expected
            const [moved] = expected.slice(step.from)
            const others = expected.filter(item => item !== moved)
            if (moved !== undefined) expected = others.toSpliced(step.to, 0, moved)
            answer = await client.post(`${path}/reorder`, { itemIds: expected.map(({ id }) => id) })
            if (expected.some((item, index) => item !== before[index])) {
              versions.task += 1
              versions.checklist += 1
            }
          }
          if (answer !== undefined)
            expect([answer.status < 300, answer.meta.taskVersion]).toEqual([true, versions.task])
        }
        const { checklist, items, task } = await shown(list)
        expect(items.map(({ id, isDone, version }) => ({ id, isDone, version }))).toEqual(expected)
        expect([task.version, checklist.version]).toEqual([versions.task, versions.checklist])
        const done = expected.filter(({ isDone }) => isDone).length
        expect(task.checklistProgress).toEqual({ total: expected.length, done })
        for (const { isDone, doneAt } of items) expect(doneAt === null).toBe(!isDone)
      }),
      { numRuns: 15 },
    )
  })

  it('had no failure inside in all of this', () => {
    expect(api.failures).toEqual([])
  })
})
