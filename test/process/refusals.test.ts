import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { afterAll, expect, test } from 'vitest'
import { aTakenPort } from '../support/free-ports.ts'
import { type User, useProcesses } from '../support/process.ts'
import { aSmallDisk } from './support/small-disk.ts'

const processes = useProcesses()
const asRoot = process.getuid?.() === 0
const nobody: User | undefined = asRoot ? { uid: 65_534, gid: 65_534 } : undefined

const disk = aSmallDisk(1)
afterAll(() => disk?.remove())

/** What a server says that cannot start: it tells of its progress, gives one reason in one line, and ends. */
async function reasonOf(environment: Record<string, string>, user?: User): Promise<string> {
  const { status, out, err } = await processes.run(['serve'], { PORT: '0', ...environment }, user)
  expect({ status, out }).toEqual({ status: 1, out: '' })
  const [reason, ...more] = err.split('\n').filter(line => line !== '' && !line.startsWith('{"level":30'))
  expect(more).toEqual([])
  return reason ?? ''
}

test.runIf(disk !== null)('a full disk: how much a first start takes; the next one makes no more of it', async () => {
  const dataDirectory = join(disk?.folder ?? '', 'data')
  const full = `The disk of ${dataDirectory} is full: make room there. A first start takes 150 MB`
  expect(await reasonOf({ CRM_DATA_DIR: dataDirectory })).toContain(full)
  expect(await readdir(dataDirectory)).toEqual([])
  disk?.change('size=64m')
  // Now there is room for PostgreSQL, and none for a database.
  expect(await reasonOf({ CRM_DATA_DIR: dataDirectory })).toContain(full)
  expect((await readdir(dataDirectory)).map(name => name.replace(/-.*/u, ''))).toEqual(['pg'])
  disk?.change('ro')
  const readOnly = (path: string) => `${path} is on a file system that is read-only. Mount it`
  expect(await reasonOf({ CRM_DATA_DIR: dataDirectory })).toContain(readOnly(dataDirectory))
  const below = join(disk?.folder ?? '', 'new', 'data')
  await expect(startEmbeddedPostgres({ dataDirectory: below })).rejects.toThrow(readOnly(below))
})

test('a folder of somebody else: whose it is, and who would use it', async () => {
  // That of the files of the system belongs to root.
  const foreign = nobody ? await processes.folder() : '/var/lib'
  const own = nobody?.uid ?? process.getuid?.()
  for (const path of [foreign, join(foreign, 'data')]) {
    expect(await reasonOf({ CRM_DATA_DIR: path }, nobody)).toMatch(
      new RegExp(
        `^${foreign} belongs to the user with id 0, and this program runs as the one with id ${own}, .*with chown`,
        'u',
      ),
    )
  }
})

test('a folder that is closed to its owner, and what is no folder', async () => {
  const closed = await processes.folder(nobody)
  await chmod(closed, 0o500)
  expect(await reasonOf({ CRM_DATA_DIR: closed }, nobody)).toContain(`chmod u+rwX '${closed}'`)
  const file = join(await processes.folder(), 'file')
  await writeFile(file, '')
  expect(await reasonOf({ CRM_DATA_DIR: file })).toContain(`${file} is not a folder`)
  const below = join(file, 'data')
  await expect(startEmbeddedPostgres({ dataDirectory: below })).rejects.toThrow(`${below} is not a folder`)
})

test.each(['spool', 'files', 'files/partial', 'files/organization/attachment'])(
  'doctor names a folder in the data directory that this user may not write to: %s',
  async name => {
    const folder = await processes.folder(nobody)
    // No look at the database is needed for that.
    const environment = {
      CRM_DATA_DIR: folder,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      CRM_SECRET: 'a secret of the tests',
    }
    expect((await processes.run(['doctor'], environment, nobody)).out).toMatch(/^ok +data directory: /mu)
    const closed = join(folder, name)
    await mkdir(closed, { recursive: true })
    if (nobody) await promisify(execFile)('chown', ['-R', `${nobody.uid}:${nobody.gid}`, folder])
    await chmod(closed, 0o500)
    const { status, out } = await processes.run(['doctor'], environment, nobody)
    expect(status).toBe(1)
    expect(out).toMatch(new RegExp(`^FAILED data directory: ${closed} belongs to this user, but is closed to it`, 'mu'))
  },
)

test.each(['secret', 'demo-token'])('a file of the data directory that this user may not read: %s', async name => {
  // A command of another user has written it, as root with sudo. Of root nothing is closed, so the user is an ordinary one.
  const folder = await processes.folder(nobody)
  await writeFile(join(folder, name), 'x', { mode: 0o000 })
  if (nobody) await chown(join(folder, name), nobody.uid, nobody.gid)
  const closed = `${join(folder, name)} belongs to this user, but is closed to it. Run "chmod u+rwX`
  const environment = { CRM_DATA_DIR: folder }
  for (const words of [['demo', 'token'], ['doctor']]) {
    const { status, out, err } = await processes.run(words, environment, nobody)
    expect([words, status, `${out}${err}`]).toEqual([words, 1, expect.stringContaining(closed)])
  }
})

test('a character in the path of a data directory that PostgreSQL cannot take', async () => {
  const folder = await processes.folder()
  const reason = 'Set CRM_DATA_DIR to a path without them.'
  expect(await reasonOf({ CRM_DATA_DIR: join(folder, 'a$b') })).toContain(reason)
  for (const name of ['a"b', 'a`b', 'a\\b'])
    await expect(startEmbeddedPostgres({ dataDirectory: join(folder, name) })).rejects.toThrow(reason)
  const left = await readdir(folder, { recursive: true })
  expect(left.toSorted()).toEqual(['a"b', 'a$b', 'a\\b', 'a`b'])
})

test('a port that is taken: before PostgreSQL is installed', async () => {
  const { port, close } = await aTakenPort()
  const folder = await processes.folder()
  const reason = await reasonOf({ CRM_DATA_DIR: folder, PORT: String(port) })
  expect(reason).toContain(`The port ${port} of 127.0.0.1 is taken`)
  expect(reason).toContain(`set PORT to another one, as in "PORT=${port + 1} npm start"`)
  expect(await readdir(folder)).toEqual([])
  close()
})

test('an address that the machine does not have', async () => {
  const folder = await processes.folder()
  expect(await reasonOf({ CRM_DATA_DIR: folder, HOST: '192.0.2.1' })).toContain(
    'HOST is 192.0.2.1, which is no address',
  )
  expect(await readdir(folder)).toEqual([])
})

test('the next start removes the files that killed starts have left', async () => {
  const folder = await processes.startedBefore()
  const [installed = ''] = (await readdir(folder)).filter(name => name.startsWith('pg-'))
  const left = [
    'doctor-1',
    'secret.partial-1',
    'postgres.lock.candidate-1',
    `${installed}.partial-1`,
    'postgres.partial-1',
  ]
  await Promise.all(left.map(name => mkdir(join(folder, name))))
  const server = await processes.serve({ CRM_DATA_DIR: folder })
  const found = await readdir(folder)
  expect(left.filter(name => found.includes(name))).toEqual([])
  expect((await server.end('SIGTERM')).status).toBe(0)
})
