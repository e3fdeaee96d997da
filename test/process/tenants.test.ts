import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { hold, isWaitedFor } from '../support/hold.ts'
import { type Program, useProcesses } from '../support/process.ts'
import { rowsOf } from '../support/tenant-rows.ts'
import { until } from '../support/waiting.ts'
import { anApplication, environmentOf } from './support/installations.ts'

const processes = useProcesses()

type Environment = Readonly<Record<string, string>>

let from: TestDatabase
let to: TestDatabase
let here: Environment
let there: Environment
let folder: string
let file: string
let organization: string

/** About a hundred megabytes, in rows of a few kilobytes that can be packed to a half. */
const fill = (id: string) => `
  insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type, request_id, changes)
  select '${id}', gen_random_uuid(), now(), 'contact', gen_random_uuid(), 'updated', 'system', gen_random_uuid(),
         jsonb_build_object('description', (select string_agg(md5(n::text || '.' || part), '') from generate_series(1, 150) part))
    from generate_series(1, 20000) n`

beforeAll(async () => {
  ;[from, to] = [await createTestDatabase(2), await createTestDatabase(2)]
  ;[here, there] = [await environmentOf(processes, from), await environmentOf(processes, to)]
  organization = (await anApplication(from.database)).organizationId
  await from.database.script(fill(organization))
  folder = await processes.folder()
  file = join(folder, 'acme.zip')
})

afterAll(async () => {
  await from.drop()
  await to.drop()
})

/** The program has room for much less than there is to hold. */
const little = { NODE_OPTIONS: '--max-old-space-size=48' }

const sumIn = async ({ database }: TestDatabase) =>
  Object.values(await rowsOf(database, organization)).reduce((sum, count) => sum + count, 0)

/** Runs a command until it waits for a table, and kills it there. */
async function killed(words: readonly string[], environment: Environment, { database }: TestDatabase, table: string) {
  const held = await hold(database, `lock table ${table} in access exclusive mode`)
  const program: Program = processes.start(words, environment)
  await until(`${words.join(' ')} to wait`, () => isWaitedFor(database, table))
  await program.end('SIGKILL')
  await held.release()
  await until('its connection to end', async () => !(await isWaitedFor(database, table)))
}

describe('an organization larger than the memory', () => {
  test('an export that is killed leaves the file from before, and a later one replaces it', async () => {
    await writeFile(file, 'from before')
    await killed(['organization', 'export', organization, file], here, from, 'applications')
    expect(await readFile(file, 'utf8')).toBe('from before')
    const { status, out, err } = await processes.run(['organization', 'export', organization, file], {
      ...here,
      ...little,
    })
    expect([status, err]).toEqual([0, ''])
    expect(out).toMatch(/^Exported organization \S+ "Acme" to \S+: 200\d\d rows\.$/mu)
    expect((await stat(file)).size).toBeGreaterThan(45_000_000)
  })

  test('an export that is interrupted leaves nothing beside the file', async () => {
    const before = await readdir(folder)
    const held = await hold(from.database, 'lock table applications in access exclusive mode')
    const program = processes.start(['organization', 'export', organization, file], here)
    await until('the export to wait', () => isWaitedFor(from.database, 'applications'))
    expect(await program.end('SIGINT')).toMatchObject({ status: 1, err: 'interrupted\n' })
    await held.release()
    expect(await readdir(folder)).toEqual(before)
    expect((await stat(file)).size).toBeGreaterThan(45_000_000)
  })

  test('an import that is killed leaves nothing, and a later one brings all', async () => {
    await killed(['organization', 'import', file], there, to, 'audit_entries')
    await until('the database to forget', async () => (await sumIn(to)) === 0)
    const { status, err } = await processes.run(['organization', 'import', file], { ...there, ...little })
    expect([status, err]).toEqual([0, ''])
    expect((await sumIn(to)) + 1).toBe(await sumIn(from))
  })

  test('a removal that is killed goes on where it stopped', async () => {
    const words = ['organization', 'remove', organization, '--confirm', 'Acme']
    await killed(words, there, to, 'organization_feed')
    const before = await sumIn(to)
    expect(before).toBeGreaterThan(20_000)
    await killed(words, there, to, 'pipelines')
    expect(await sumIn(to)).toBeLessThan(before)
    expect(await sumIn(to)).toBeGreaterThan(0)
    const { status, err } = await processes.run(words, there)
    expect([status, err, await sumIn(to)]).toEqual([0, '', 0])
    expect(existsSync(file)).toBe(true)
  })
})
