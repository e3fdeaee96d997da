import { afterAll, beforeAll, expect, test } from 'vitest'
import { Crm } from '../../packages/sdk/src/index.ts'
import { verify } from '../../packages/sdk/src/webhooks.ts'
import { signedHeaders } from '../../server/src/webhooks/signature.ts'
import { blocksOf, readPage } from '../documentation/markdown.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization } from '../support/organization.ts'

const blocks = blocksOf((await readPage('docs/sdk.md')).text).filter(({ language }) => language === 'ts')
const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

let api: TestApi
let crm: Crm

beforeAll(async () => {
  api = await startApi()
  crm = new Crm({ url: api.url, token: (await anOrganization(api)).client.token })
})

afterAll(() => api.close())

/** Runs an example as it is printed, with these names; resolves to the names that it asks for afterwards. */
async function run(words: string, names: Readonly<Record<string, unknown>>, afterwards = ''): Promise<unknown> {
  const code = blocks.find(({ text }) => text.includes(words))?.text.replace(/^import .*\n/gmu, '')
  expect(code).toBeDefined()
  const declared = Object.keys(names)
    .map(name => `let ${name} = names.${name}\n`)
    .join('')
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is that of the page
  const example: unknown = new Function('names', `return (async () => { ${declared} { ${code}\n ${afterwards} } })()`)
  return typeof example === 'function' ? Reflect.apply(example, undefined, [names]) : undefined
}

test('the six lines write each person once, however often they run', async () => {
  const people = [{ externalId: 'a', firstName: 'Anna', lastName: 'Petrova' }, { externalId: 'b' }]
  const said: unknown[][] = []
  const names = {
    Crm: { fromEnvironment: () => crm },
    people,
    console: { log: (...words: unknown[]) => said.push(words) },
  }
  await run('upsertAll', names)
  await run('upsertAll', names)
  expect((await crm.contacts.list()).data).toMatchObject([{ externalId: 'a', version: 1 }])
  expect(said.map(([key]) => key)).toEqual(['b', 'b'])
})

test('the change is made', async () => {
  const { id } = await crm.contacts.create({ firstName: 'Olga', lastName: 'Ivanova' })
  expect(await run('.change(', { crm, id }, 'return changed')).toMatchObject({ description: ' VIP', version: 2 })
})

test('the loop over the feed applies events and reads everything after a reset', async () => {
  const { cursor } = await crm.changes.cursor()
  await crm.contacts.create({ firstName: 'Boris', lastName: 'Ivanov' })
  const said: unknown[][] = []
  let reads = 0
  async function* follow(position: string) {
    for await (const step of crm.changes.follow(position)) {
      yield step
      break
    }
    yield { events: [], cursor: 'later', reset: {} }
  }
  const console = { log: (...words: unknown[]) => said.push(words) }
  const readEverything = () => void (reads += 1)
  const names = { crm: { changes: { follow } }, stored: cursor, readEverything, console }
  expect(await run('.follow(', names, 'return stored')).toBe('later')
  expect([said.map(([kind]) => kind), reads]).toEqual([['contact.created'], 1])
})

test('the copy is loaded', async () => {
  const stopping = new AbortController()
  const load = async () => stopping.abort(new Error('loaded'))
  const names = { crm, load, apply: () => {}, stored: null, signal: stopping.signal }
  await expect(run('synchronize', names)).rejects.toThrow('loaded')
})

test('the file is attached and read through its link', async () => {
  const { id, version: expectedVersion } = await crm.contacts.create({ firstName: 'Vera', lastName: 'Orlova' })
  const blob = new Blob(['An offer'], { type: 'text/plain' })
  const offer = await run('files.attach(', { crm, id, expectedVersion, blob }, 'return offer')
  expect(offer).toBeInstanceOf(Blob)
  expect(offer instanceof Blob && (await offer.text())).toBe('An offer')
})

test('the message is verified', async () => {
  const body = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-31T09:15:00.000Z', data: {} })
  const headers = signedHeaders({ id: 'chg_1', body, at: Date.now() }, secrets)
  const request = new Request('https://shop.example/crm', { method: 'POST', body, headers })
  expect(await run('await verify(', { verify, request, secrets }, 'return type')).toBe('webhook.test')
})
