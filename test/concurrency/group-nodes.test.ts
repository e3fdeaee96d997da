import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { invariants } from '../crash/support/invariants.ts'
import { aContact, aTask } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { type GatheringApi, startGatheringApi, watchGroups } from '../support/gathering.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

const rounds = 12
const perNode = 16

let nodes: readonly GatheringApi[]
let organization: TestOrganization
/** Clients of two applications on each node. */
let clients: readonly (readonly Client[])[]
let contested: string
let start: string
let watched: readonly ReturnType<typeof watchGroups>[]
const answers: Answer[] = []

beforeAll(async () => {
  const api = await startGatheringApi()
  nodes = [api, await startGatheringApi({ beside: api })]
  organization = await anOrganization(api)
  const { token } = (await organization.application()).client
  const tokens = [organization.client.token, token]
  clients = nodes.map(({ url }) => tokens.map(each => new Client(url, each)))
  start = String((await organization.client.get('/changes/cursor')).data.cursor)
  contested = String((await write(organization.client, 'post', '/contacts', aContact())).data.id)
  watched = nodes.map(watchGroups)
  for (let round = 0; round < rounds; round += 1) answers.push(...(await onBothNodes(round)))
})
afterAll(async () => {
  for (const node of nodes.toReversed()) await node.close()
  expect(nodes.flatMap(({ failures }) => failures)).toEqual([])
})

/** A write whose key is its request id, too. */
function write(by: Client, method: 'post' | 'patch', path: string, body: unknown): Promise<Answer> {
  const key = randomUUID()
  return by[method](path, body, { key, headers: { 'x-request-id': key } })
}

/** A group on each node at the same time: new records, keys that all bring, and one record that all change. */
async function onBothNodes(round: number): Promise<Answer[]> {
  const { data } = await organization.client.get(`/contacts/${contested}`)
  const writeOn = (node: number, index: number): Promise<Answer> => {
    const by = clients[node]?.[Math.floor(index / 4) % 2] ?? organization.client
    if (index % 4 === 0) return write(by, 'post', '/contacts', aContact())
    if (index % 4 === 1) return write(by, 'post', '/tasks', aTask())
    if (index % 4 === 2) return write(by, 'post', '/contacts/upsert', aContact({ externalId: `round ${round}` }))
    const expectedVersion = Number(data.version) + Math.floor(index / 4)
    return write(by, 'patch', `/contacts/${contested}`, { expectedVersion, jobTitle: `${round} ${node} ${index}` })
  }
  const groupOn = (node: number) => Promise.all(Array.from({ length: perNode }, (_, index) => writeOn(node, index)))
  return (await Promise.all(nodes.map((api, node) => api.together(perNode, () => groupOn(node))))).flat()
}

describe('two nodes whose groups commit for one organization at the same time', () => {
  test('have groups', () => {
    for (const { groups } of watched)
      expect(groups.filter(({ size }) => size > 1).length).toBeGreaterThanOrEqual(rounds)
  })

  it('answers each write as if there had been one of them', async () => {
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].toSorted()).toEqual([200, 201, 409, 428])
    const changes = answers.filter(({ status, data }) => status === 200 && data.id === contested)
    expect((await organization.client.get(`/contacts/${contested}`)).data.version).toBe(1 + changes.length)
  })

  it('gives a key that all bring to one record of each application', async () => {
    const ids = answers.filter(({ data }) => String(data.externalId).startsWith('round ')).map(({ data }) => data.id)
    expect([ids.length, new Set(ids).size]).toEqual([2 * rounds, 2 * rounds])
  })

  it('numbers the feed without a gap, and has an event of each success once', async () => {
    const seqs: number[] = []
    let cursor = start
    for (let more = true; more; ) {
      const page = await organization.client.get(`/changes?after=${cursor}&limit=100`)
      seqs.push(...page.items.map(({ seq }) => Number(seq)))
      cursor = String(page.meta.nextCursor)
      more = page.meta.hasMore === true
    }
    const successes = 1 + answers.filter(({ status }) => status < 300).length
    expect(seqs).toEqual(Array.from({ length: successes }, (_, index) => index + 1))
  })

  test.each(invariants)('in the database: %s', async (_, violations) => {
    const [node] = nodes
    expect(await node?.test.database.search(violations, [organization.id])).toEqual([])
  })
})
