import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { compiledPackage } from '../../../test/support/compiled.ts'
import {
  DataDirectoryInUseError,
  type EmbeddedPostgres,
  openEmbeddedPostgres,
  startEmbeddedPostgres,
  stopOrphanedPostgres,
} from './index.ts'
import { identifyProcess } from './process-identity.ts'

vi.setConfig({ testTimeout: 30_000 })

const asRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }

const children: ChildProcess[] = []
let folder: string
let dataDirectory: string
let compiled: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-postgres-'))
  await chmod(folder, 0o755)
  dataDirectory = join(folder, 'data')
  compiled = await compiledPackage()
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const name of await readdir(folder)) {
    const pid = await pidOfDatabase(join(folder, name)).catch(() => undefined)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  }
  await rm(folder, { recursive: true, force: true })
})

describe('one data directory', () => {
  test('a first start needs nothing but an empty folder, and a later start goes on with its data', async () => {
    const first = await startEmbeddedPostgres({ dataDirectory })
    await query(first, 'create table note (text text)')
    await query(first, `insert into note values ('kept')`)
    await first.stop()

    const second = await startEmbeddedPostgres({ dataDirectory })
    expect(await query(second, 'select text from note')).toEqual([{ text: 'kept' }])
    await second.stop()
  })

  test('stop() shuts down cleanly, may be called twice, and does not count as a loss', async () => {
    const database = await startEmbeddedPostgres({ dataDirectory })
    let lost = false
    void database.lost.then(() => (lost = true))
    const pid = await pidOfDatabase(dataDirectory)
    await Promise.all([database.stop(), database.stop()])
    await database.stop()
    expect(identifyProcess(pid)).toBe(undefined)
    expect(await readFile(join(dataDirectory, 'postgres.log'), 'utf8')).toContain('database system is shut down')
    expect((await readdir(dataDirectory)).filter(name => /lock|partial/.test(name))).toEqual([])
    expect(lost).toBe(false)
  })

  test('the death of the database is reported, and the next start recovers', async () => {
    const database = await startEmbeddedPostgres({ dataDirectory })
    process.kill(await pidOfDatabase(dataDirectory), 'SIGKILL')
    await database.lost
    await database.stop()
    const next = await startEmbeddedPostgres({ dataDirectory })
    expect(await query(next, 'select text from note')).toEqual([{ text: 'kept' }])
    await next.stop()
  })

  test('a second server is refused with the name of the first, and a command shares the first and leaves it running', async () => {
    const server = inAnotherProcess('serve', dataDirectory)
    expect(await server.answer).toEqual({ ready: true })
    const refused = startEmbeddedPostgres({ dataDirectory })
    await expect(refused).rejects.toThrow(DataDirectoryInUseError)
    await expect(refused).rejects.toThrow(`in use by process ${server.pid}`)

    const command = await openEmbeddedPostgres({ dataDirectory })
    await command.stop()
    expect(await query(command, 'select text from note')).toEqual([{ text: 'kept' }])
    server.end('SIGTERM')
    await command.lost
    await server.ended
  })

  test('after kill -9 of the server its database is adopted, and stopped in the end', async () => {
    const server = inAnotherProcess('serve', dataDirectory)
    await server.answer
    const pid = await pidOfDatabase(dataDirectory)
    server.end('SIGKILL')
    await server.ended

    const command = await openEmbeddedPostgres({ dataDirectory })
    await command.stop()
    const database = await startEmbeddedPostgres({ dataDirectory })
    expect(await pidOfDatabase(dataDirectory)).toBe(pid)
    expect(await query(database, 'select text from note')).toEqual([{ text: 'kept' }])
    await database.stop()
    expect(identifyProcess(pid)).toBe(undefined)
  })

  test('an orphan is stopped by the program that has outlived its server with it, unless another server has it', async () => {
    const server = inAnotherProcess('serve', dataDirectory)
    await server.answer
    server.end('SIGKILL')
    await server.ended
    const orphan = await pidOfDatabase(dataDirectory)
    expect(identifyProcess(orphan)).toBeDefined()
    await Promise.all([1, 2, 3].map(() => stopOrphanedPostgres({ dataDirectory })))
    expect(identifyProcess(orphan)).toBe(undefined)

    const next = await startEmbeddedPostgres({ dataDirectory })
    await stopOrphanedPostgres({ dataDirectory })
    expect(await query(next, 'select 1 as one')).toEqual([{ one: 1 }])
    await next.stop()
  })

  test('an orphan with other settings is started again', async () => {
    const server = inAnotherProcess('serve', dataDirectory)
    await server.answer
    server.end('SIGKILL')
    await server.ended
    const database = await startEmbeddedPostgres({ dataDirectory, settings: { max_connections: '20' } })
    expect(await query(database, 'show max_connections')).toEqual([{ max_connections: '20' }])
    await database.stop()
  })

  test('after kill -9 of server and database, one of several servers starting at once wins', async () => {
    const server = inAnotherProcess('serve', dataDirectory)
    await server.answer
    const pid = await pidOfDatabase(dataDirectory)
    server.end('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await server.ended

    const contenders = Array.from({ length: 3 }, () => inAnotherProcess('serve', dataDirectory))
    const answers = await Promise.all(contenders.map(contender => contender.answer))
    expect(answers.filter(answer => answer['ready'])).toHaveLength(1)
    expect(answers.filter(answer => answer['error'] === 'DataDirectoryInUseError')).toHaveLength(2)
    for (const contender of contenders) contender.end('SIGTERM')
    await Promise.all(contenders.map(contender => contender.ended))
  })

  test('commands at the same moment without a server all work, and a server waits for them', async () => {
    const commands = Array.from({ length: 3 }, () => inAnotherProcess('command', dataDirectory))
    const answers = await Promise.all(commands.map(command => command.answer))
    expect(answers).toEqual(commands.map(() => ({ rows: [{ text: 'kept' }] })))
    await Promise.all(commands.map(command => command.ended))

    const command = await openEmbeddedPostgres({ dataDirectory })
    const starting = startEmbeddedPostgres({ dataDirectory })
    await sleep(100)
    await command.stop()
    await (await starting).stop()
  })

  test('a server that cannot start says why, and leaves the data directory free', async () => {
    const start = startEmbeddedPostgres({ dataDirectory, settings: { shared_buffers: 'much' } })
    await expect(start).rejects.toThrow(/postgres\.log:[\s\S]*shared_buffers/)
    const database = await openEmbeddedPostgres({ dataDirectory })
    await database.stop()
  })
})

describe('unusual places', () => {
  test('a first start killed in the middle leaves a usable data directory', async () => {
    const interrupted = join(folder, 'interrupted')
    const server = inAnotherProcess('serve', interrupted)
    while (!(await holdsPartialCluster(interrupted))) await sleep(5)
    server.end('SIGKILL')
    await server.ended
    const database = await startEmbeddedPostgres({ dataDirectory: interrupted })
    expect(await query(database, 'select 1 as one')).toEqual([{ one: 1 }])
    await database.stop()
  })

  test('a path that is too long for a socket and full of odd characters works, also for a command', async () => {
    const odd = join(folder, `it's, odd `, 'x'.repeat(80))
    const database = await startEmbeddedPostgres({ dataDirectory: odd })
    const command = await openEmbeddedPostgres({ dataDirectory: odd })
    expect(await query(command, 'select 1 as one')).toEqual([{ one: 1 }])
    await database.stop()
    await expect(stat(database.connection.host)).rejects.toThrow('ENOENT')
  })

  test.runIf(asRoot)('an ordinary user needs no privileges, and root finds the same database', async () => {
    const theirs = join(folder, 'theirs')
    await mkdir(theirs, { mode: 0o700 })
    await chown(theirs, nobody.uid, nobody.gid)
    const server = inAnotherProcess('serve', theirs, nobody)
    expect(await server.answer).toEqual({ ready: true })
    server.end('SIGKILL')
    await server.ended

    const database = await startEmbeddedPostgres({ dataDirectory: theirs })
    expect((await stat(join(theirs, 'postgres'))).uid).toBe(nobody.uid)
    await database.stop()
    const again = inAnotherProcess('serve', theirs, nobody)
    expect(await again.answer).toEqual({ ready: true })
    again.end('SIGTERM')
    await again.ended
  })

  test.runIf(asRoot)('root may keep its data below a folder that is closed to others', async () => {
    const closed = await mkdtemp('/var/lib/crm-postgres-')
    const below = join(closed, 'data')
    const database = await startEmbeddedPostgres({ dataDirectory: below })
    const home = join(database.connection.host, '..')
    try {
      expect(home.startsWith('/var/lib/crm-server/')).toBe(true)
      await database.stop()
      const command = await openEmbeddedPostgres({ dataDirectory: below })
      expect(command.connection).toEqual(database.connection)
      await command.stop()
      await rm(home, { recursive: true })
      await expect(startEmbeddedPostgres({ dataDirectory: below })).rejects.toThrow('which is gone')
    } finally {
      await database.stop()
      await rm(home, { recursive: true, force: true })
      await rm(closed, { recursive: true, force: true })
      // Only when no other database is kept there.
      await rmdir('/var/lib/crm-server').catch(() => {})
    }
  })
})

async function holdsPartialCluster(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => [])
  const partial = names.find(name => name.startsWith('postgres.partial-'))
  return partial !== undefined && (await readdir(join(directory, partial))).includes('base')
}

async function query(database: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new pg.Client({ ...database.connection, ssl: false })
  // The server may end while this connection is open.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function pidOfDatabase(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

const program = `
import pg from 'pg'

const [what, dataDirectory, part] = process.argv.slice(1)
const { openEmbeddedPostgres, startEmbeddedPostgres } = await import(part)
const tell = answer => console.log(JSON.stringify(answer))
try {
  if (what === 'serve') {
    const database = await startEmbeddedPostgres({ dataDirectory })
    process.once('SIGTERM', () => database.stop().then(() => process.exit()))
    setInterval(() => {}, 1000)
    tell({ ready: true })
  } else {
    const database = await openEmbeddedPostgres({ dataDirectory })
    const client = new pg.Client({ ...database.connection, ssl: false })
    await client.connect()
    const { rows } = await client.query('select text from note')
    await client.end()
    await database.stop()
    tell({ rows })
  }
} catch (error) {
  tell({ error: error.name, message: error.message })
}
`

/** Runs the product's part in a process of its own, which answers with one line. */
function inAnotherProcess(what: 'serve' | 'command', directory: string, user?: { uid: number; gid: number }) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, what, directory, compiled], {
    ...user,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const answer = once(createInterface(child.stdout), 'line').then(([line]): Record<string, unknown> => JSON.parse(line))
  const end = (signal: NodeJS.Signals) => void child.kill(signal)
  return { pid: child.pid, answer, ended: once(child, 'exit'), end }
}
