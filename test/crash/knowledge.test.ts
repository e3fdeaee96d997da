import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPassages } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { agentsPath, anAgent } from '../conformance/support/agent-requests.ts'
import { pdfOf } from '../knowledge/support/documents.ts'
import { basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { holdAgent } from '../process/support/hold.ts'
import { anApplication, besideServer } from '../process/support/installations.ts'
import { type Answer, Client } from '../support/client.ts'
import { isAlive, useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { readersOf } from '../support/readers.ts'
import { until } from '../support/waiting.ts'
import { Rig } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
/** How long a file may wait for somebody to go on with it. */
const patience = 60_000
const rows = 2000

let rig: Rig
let database: Database
let organizationId: string
let token: string
let base: string

beforeAll(async () => {
  rig = await Rig.start(processes)
  database = await besideServer(rig.folder)
  ;({ organizationId, token } = await anApplication(database))
  base = await madeAt(basesPath, { name: 'Help' })
}, 120_000)
afterAll(async () => {
  await database?.close()
})

const client = async () => new Client(await rig.address(), token)

async function madeAt(path: string, body: object): Promise<string> {
  return String((await (await client()).post(path, body)).data.id)
}

/** Asks again, with the same key, until there is an answer after which trying again does not help. */
async function insist(ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask(await client()).catch(() => null)
    if (answer !== null && answer.status < 500 && answer.error.code !== 'idempotency_in_progress') return answer
    await sleep(20)
  }
}

const upload = (id: string, name: string, content: string | Buffer) =>
  insist(to => putFile(to, { base, id, name, content, key: `${id}-${name}` }))

const tableOf = (word: string) =>
  ['What,Which', ...Array.from({ length: rows }, (_, row) => `${word}${row},common`)].join('\n')

async function untilReady(id: string): Promise<void> {
  await until(
    `${id} to be ready`,
    async () => {
      const { items } = await (await client()).get(`${basesPath}/${base}/files`)
      return items.some(file => file.id === id && file.status === 'ready')
    },
    patience,
  )
}

const selectStored = statement(
  'crash_stored_knowledge',
  `select (select count(*)::integer from knowledge_contents c where c.organization_id = $1) as contents,
          (select count(*)::integer from knowledge_passages p where p.organization_id = $1) as passages,
          (select coalesce(sum(c.passages), 0)::integer from knowledge_contents c where c.organization_id = $1) as told,
          (select count(*)::integer from files f where f.organization_id = $1) as files,
          (select coalesce(sum(k.passages), 0)::integer from knowledge_words k
            where k.organization_id = $1 and k.word = 'common') as common`,
)
const stored = async () => (await database.query(selectStored, [organizationId]))[0] ?? {}

test('a file whose upload is cut off is there once, when it was sent again', async () => {
  for (const round of [1, 2, 3]) {
    const sent = upload('cut', `${round}.txt`, Buffer.alloc(4_000_000, `Round ${round} is long. `))
    await sleep(random.between(0, 150))
    await rig.crash('server')
    expect((await sent).data).toMatchObject({ id: 'cut', name: `${round}.txt` })
  }
  await untilReady('cut')
  expect((await (await client()).get(`${basesPath}/${base}`)).data).toMatchObject({
    filesCount: 1,
    sizeBytes: 4_000_000,
  })
  expect((await (await client()).delete(`${basesPath}/${base}/files/cut`)).status).toBe(200)
  await until('what was left of it to go', async () => Number((await stored()).contents) === 0, patience)
})

test('a killed process that reads a file leaves nothing, and the file is read anew', async () => {
  // No text for seconds, in which the process hears of nothing.
  const content = pdfOf([`${'q Q '.repeat(400_000)} BT /F1 11 Tf 1 0 0 1 50 700 Tm <00630064> Tj ET`])
  expect((await upload('slow', 'slow.pdf', content)).status).toBe(200)
  const server = await rig.pid()
  const reader = await until('a process that reads', async () => (await readersOf(server))[0])
  await sleep(random.between(0, 500))
  await rig.crash('server')
  await until('its end', () => !isAlive(reader.pid), 5000)
  await untilReady('slow')
  expect(await stored()).toMatchObject({ contents: 1, passages: 1, told: 1, files: 1 })
  await until('the end of its reader', async () => (await readersOf(await rig.pid())).length === 0)
})

test('a file that is indexed has each passage once, however often the server is killed meanwhile', async () => {
  expect((await upload('table', 'table.csv', tableOf('word'))).status).toBe(200)
  for (let known = 1, crash = 0; crash < 3; crash += 1) {
    known = await until('passages', async () => {
      const passages = Number((await stored()).passages)
      // A fast machine has read all of it at the second look.
      return (passages > known || (crash > 0 && passages > rows)) && passages
    })
    await rig.crash(random.pick(['server', 'both']))
    await database.close()
    database = await besideServer(rig.folder)
  }
  await untilReady('table')
  expect(await stored()).toEqual({ contents: 2, passages: rows + 1, told: rows + 1, files: 2, common: rows })
  const asked = { organizationId, baseId: base, question: `word${rows - 1}`, limit: 1 }
  expect(await findPassages(asked, { database })).toMatchObject([{ fileId: 'table', row: rows + 1 }])
})

test('a confirmed deletion that was cut off has done nothing; sent again it does everything', async () => {
  const agent = await madeAt(agentsPath, anAgent({ knowledgeBaseIds: [base] }))
  const before = await stored()
  const held = await holdAgent(database, agent)
  const removed = insist(to => to.delete(`${basesPath}/${base}?confirmed=true`, undefined, { key: 'confirmed' }))
  await held.waiting()
  await rig.crash('server')
  expect((await (await client()).get(`${agentsPath}/${agent}`)).data.knowledgeBaseIds).toEqual([base])
  expect((await (await client()).get(`${basesPath}/${base}/files`)).items).toHaveLength(2)
  expect(await stored()).toEqual(before)
  await held.letGo()
  expect((await removed).data).toEqual({ ok: true })
  expect((await (await client()).get(`${agentsPath}/${agent}`)).data.knowledgeBaseIds).toEqual([])
  expect((await (await client()).get(`${basesPath}/${base}`)).status).toBe(404)
  const nothing = { contents: 0, passages: 0, told: 0, files: 0, common: 0 }
  await until('nothing to be left', async () => isDeepStrictEqual(await stored(), nothing), patience)
})

test('the upkeep removes the rest of uploads, and the files are as recorded', async () => {
  const files = join(rig.folder, 'files')
  const old = new Date(Date.now() - 7_200_000)
  for (const path of await readdir(files, { recursive: true })) await utimes(join(files, path), old, old)
  const environment = { CRM_DATA_DIR: rig.folder }
  expect((await processes.run(['maintenance', 'run', '--json'], environment)).status).toBe(0)
  const left = await readdir(join(files, organizationId), { recursive: true }).catch(() => [])
  expect(left.filter(path => path.includes('/'))).toEqual([])
})
