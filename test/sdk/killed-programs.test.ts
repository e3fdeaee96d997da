import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Program } from '../support/process.ts'
import { Random, roundsOf, seedOf } from '../support/random.ts'
import { writeEvents } from './support/busy-writer.ts'
import { aCuttingProxy, cutOneIn } from './support/cutting-proxy.ts'
import { useOrganizations } from './support/given.ts'
import { people } from './support/people.ts'

const random = new Random(seedOf('SDK_SEED'))
const kills = roundsOf('SDK_KILLS', 2)
const rows = roundsOf('SDK_UPSERTS', 300)
const events = roundsOf('SDK_EVENTS', 2000)
const patience = 3_600_000
const upserting = new URL('./support/upserting-program.ts', import.meta.url)
const following = new URL('./support/following-program.ts', import.meta.url)

const given = useOrganizations()

/**
 * A connection that cuts one exchange in ten of each start, and the program that reaches the API through it. `kill` starts it and kills it
 * after so many exchanges, in the middle of the last, which the API may have seen.
 */
async function aBadDay(main: URL, words: readonly string[]) {
  let all = 0
  let begun = 0
  let killAfter = 0
  let program: Program
  const proxy = await aCuttingProxy(given.api.url, exchange => {
    all = exchange
    begun += 1
    if (begun !== killAfter) return cutOneIn(10)(begun + 8)
    program.send('SIGKILL')
    return random.pick(['before', 'answer'])
  })
  const start = (exchanges = 0) => {
    begun = 0
    killAfter = exchanges
    const command = [process.execPath, '--conditions=source', '--import=tsx', fileURLToPath(main), ...words] as const
    program = new Program(command, { CRM_URL: proxy.url, CRM_TOKEN: given.organization.client.token })
    return program
  }
  onTestFinished(async () => void (await program.end('SIGKILL')))
  const kill = async (exchanges: number) => {
    const { signal, err } = await start(exchanges).ended
    expect([signal, err]).toEqual(['SIGKILL', ''])
  }
  const tell = () => console.log(`${kills} kills, ${all} exchanges, ${proxy.cuts()} of them cut`)
  return { proxy, start, kill, tell }
}

/** All contacts as the API lists them, by their ids. */
async function listed(): Promise<Map<string, { version: number; externalId?: string | null }>> {
  const found = new Map()
  for await (const contact of given.crm().contacts.list({ limit: 100 })) found.set(contact.id, contact)
  return found
}

test(
  'a program that writes many records, and is killed again and again, has written each once',
  async () => {
    const day = await aBadDay(upserting, [String(rows), 'erp'])
    for (let kill = 1; kill <= kills; kill++) await day.kill(random.between(1, Math.ceil(rows / 100)))
    const last = await day.start().ended
    expect([last.status, last.err, last.out]).toEqual([0, '', `${rows} written\n`])
    expect(day.proxy.cuts()).toBeGreaterThan(kills)
    day.tell()

    const contacts = [...(await listed()).values()]
    const keys = Array.from(people(rows), ({ externalId }) => externalId)
    expect(contacts.map(({ externalId }) => externalId).sort()).toEqual(keys.sort())
    expect(contacts.filter(({ version }) => version !== 1)).toEqual([])
  },
  patience,
)

test(
  'a program that follows the feed, and is killed again and again, has each event once and a copy that equals the server',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crm-copy-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const journal = join(folder, 'journal')
    writeFileSync(journal, `${JSON.stringify({ ...(await given.crm().changes.cursor()), changes: [] })}\n`)
    const day = await aBadDay(following, [journal])
    const writing = writeEvents(given.crm(), random.fork(), events)
    // A page has 100 events at most, so there is something left to follow after the last kill.
    const most = Math.max(1, Math.floor(events / 100 / (kills + 1)))
    for (let kill = 1; kill <= kills; kill++) await day.kill(random.between(1, most))
    const program = day.start()
    const lastSeq = await writing
    await expect.poll(() => program.out, { timeout: patience }).toContain(`stored ${lastSeq}\n`)
    await program.end('SIGTERM')
    expect(day.proxy.cuts()).toBeGreaterThan(kills)
    day.tell()

    const copy = new Map<string, unknown>()
    const seqs: number[] = []
    for (const line of readFileSync(journal, 'utf8').trimEnd().split('\n'))
      for (const { seq, resourceId, record } of JSON.parse(line).changes) {
        seqs.push(seq)
        if (record === null) copy.delete(resourceId)
        else copy.set(resourceId, record)
      }
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, at) => at + 1))
    console.log(`${lastSeq} events, ${copy.size} contacts`)
    expect(copy).toEqual(await listed())
  },
  patience,
)
