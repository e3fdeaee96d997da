import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ExtractionTask } from '../../server/src/ai-agents/knowledge-bases/extraction/extraction-process.ts'
import { ClientGone, Overloaded, Spool, type WhenGone } from '../../server/src/kernel/index.ts'
import { type Reading, Sandboxes, whenAborted } from '../../server/src/kernel/sandbox/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { readersOf } from '../support/readers.ts'
import { until } from '../support/waiting.ts'

const program = { path: 'ai-agents/knowledge-bases/extraction/extraction-process', memory: 1024 * 1024 * 1024 }
const task: ExtractionTask = { kind: 'txt', passages: 100, text: 10_000 }
const nobodyLeaves: WhenGone = () => () => {}

const queue = (changes: object = {}) => ({
  name: 'readerPlace' as const,
  places: 2,
  waiting: 100,
  milliseconds: 60_000,
  ...changes,
})

let folder = ''
let spool: Spool
let sandboxes: Sandboxes
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandboxes-'))
  spool = new Spool(join(folder, 'spool'))
  sandboxes = new Sandboxes({ jobs: queue({ places: 0 }), requests: queue() })
})
afterEach(async () => {
  for (const pid of await pids()) kill(pid)
  await until('the processes to end', async () => (await pids()).length === 0)
  await rm(folder, { recursive: true, force: true })
})

/** Kills a process, unless it has ended by itself just now. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const pids = async () => (await readersOf(process.pid)).map(({ pid }) => pid)

/** A text of one passage, to be read within a minute. */
async function aText(changes: Partial<Reading> = {}): Promise<Reading> {
  const source = join(folder, newId())
  await writeFile(source, 'Tea is hot.')
  return { program, source, task, milliseconds: 60_000, ...changes }
}

/** A page that keeps its process for a quarter of a minute or more: each end compares its name with those of all open elements. */
async function aSlowPage(changes: Partial<Reading> = {}): Promise<Reading> {
  const source = join(folder, newId())
  const name = 'a'.repeat(30)
  await writeFile(source, `${`<${name}b>`.repeat(1900)}${`</${name}c>`.repeat(400_000)}`)
  const slow: ExtractionTask = { kind: 'html', passages: 100, text: 10_000 }
  return { program, source, task: slow, milliseconds: 60_000, ...changes }
}

/** A client that waits for a file until it leaves. */
function aClient(): { readonly whenGone: WhenGone; leave(): void } {
  const leaving = new AbortController()
  return { whenGone: whenAborted(leaving.signal), leave: () => leaving.abort() }
}

const read = (reading: Reading, organizationId = newId(), whenGone = nobodyLeaves) =>
  sandboxes.run('requests', { organizationId, spool, whenGone }, readFile => readFile(reading))

describe('a file of a stranger', () => {
  it('is read by another process, whose result is moved to its destination', async () => {
    const result = join(folder, 'passages')
    expect(await read(await aText({ result }))).toBe(1)
    expect(await readFile(result, 'utf8')).toContain('Tea is hot.')
  })

  it('fails with the reason of the program that reads it, which then reads the next one', async () => {
    const organizationId = newId()
    const failure = await read(await aText({ task: { ...task, text: 1 } }), organizationId).catch(error => error)
    expect(failure).toMatchObject({ reason: 'too_much_text' })
    const [first] = await pids()
    expect(await read(await aText(), organizationId)).toBe(1)
    expect(await pids()).toEqual([first])
  })

  it('fails where its process has more memory than it may have', async () => {
    const failure = await read(await aSlowPage({ program: { ...program, memory: 1 } })).catch(error => error)
    expect(failure).toMatchObject({ reason: 'too_large' })
    expect(await pids()).toEqual([])
  })

  it('fails where it takes too long, and its process has ended by then', async () => {
    const failure = await read(await aSlowPage({ milliseconds: 300 })).catch(error => error)
    expect(failure).toMatchObject({ reason: 'too_slow' })
    expect(await pids()).toEqual([])
  })

  it('is read no further when the client has left, before and while it is read', async () => {
    const alreadyGone: WhenGone = listener => {
      listener()
      return () => {}
    }
    await expect(read(await aSlowPage(), newId(), alreadyGone)).rejects.toThrow(ClientGone)
    const client = aClient()
    const reading = read(await aSlowPage(), newId(), client.whenGone).catch((error: unknown) => error)
    await until('the process to read', async () => (await pids()).length > 0)
    client.leave()
    expect(await reading).toBeInstanceOf(ClientGone)
    expect(await pids()).toEqual([])
  })
})

describe('a process that reads files', () => {
  it('is never given a file of another organization, and leaves none behind in its folder', async () => {
    await read(await aText())
    const earlier = await pids()
    await read(await aText())
    expect((await pids()).filter(pid => !earlier.includes(pid))).toHaveLength(1)
    const folders = await readdir(join(folder, 'spool'))
    const left = await Promise.all(folders.map(name => readdir(join(folder, 'spool', name))))
    expect(left.flat()).toEqual([])
  })

  it('has no environment', async () => {
    await read(await aText())
    const [reader] = await readersOf(process.pid)
    const environment = reader?.command
      .replace(/^.*process\.\w+/u, '')
      .trim()
      .split(' ')
    expect(environment?.filter(variable => !variable.startsWith('NODE_CHANNEL_'))).toEqual([])
  })

  it('ends when it has had nothing to read for a moment', async () => {
    await read(await aText())
    await until('its end', async () => (await pids()).length === 0)
  })

  it('ends for a process of another organization where the number of processes is at its bound', async () => {
    for (const _ of [1, 2, 3]) await read(await aText())
    expect((await pids()).length).toBeLessThanOrEqual(2)
  })
})

describe('organizations take turns', () => {
  it('and a file of one is read beside a slow one of another, whose next file waits', async () => {
    const slow = newId()
    const order: string[] = []
    const noted = (name: string) => () => void order.push(name)
    const client = aClient()
    const first = read(await aSlowPage(), slow, client.whenGone).catch(noted('slow'))
    const second = read(await aText(), slow).then(noted('behind it'))
    await until('the slow one to be read', async () => (await pids()).length > 0)
    await read(await aText()).then(noted('another organization'))
    client.leave()
    await Promise.all([first, second])
    expect(order).toEqual(['another organization', 'slow', 'behind it'])
  })

  it('and a file whose turn does not come in time is refused', async () => {
    sandboxes = new Sandboxes({ jobs: queue(), requests: queue({ places: 1, milliseconds: 100 }) })
    const client = aClient()
    const slow = read(await aSlowPage(), newId(), client.whenGone).catch(() => {})
    await until('the slow one to be read', async () => (await pids()).length > 0)
    await expect(read(await aText())).rejects.toThrow(Overloaded)
    client.leave()
    await slow
  })
})
