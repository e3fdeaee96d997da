import { readdir, readFile } from 'node:fs/promises'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { renderSchema, schemaFile } from '../../scripts/schema.ts'
import { Database, migrate, pendingMigrations } from '../../server/src/kernel/sql/index.ts'
import { createTestDatabase } from '../support/database.ts'
import { createEmptyDatabase, type EmptyDatabase } from './empty-database.ts'

const migrations = (await readdir(new URL('../../server/migrations/', import.meta.url))).sort()

let schema: string
beforeAll(async () => {
  const migrated = await createTestDatabase(2)
  schema = await renderSchema(migrated.database)
  await migrated.drop()
})

let empty: EmptyDatabase
beforeEach(async () => {
  empty = await createEmptyDatabase()
})
afterEach(() => empty.drop())

test('each migration has a number of its own and a word for its purpose', () => {
  const numbers = migrations.map(name => /^(\d{4})_[a-z_]+\.sql$/u.exec(name)?.[1])
  expect(numbers).not.toContain(undefined)
  expect(new Set(numbers).size).toBe(migrations.length)
})

test('the migrations add up to schema.sql', async () => {
  const golden = await readFile(schemaFile, 'utf8')
  expect(schema.split('\n'), 'npm run golden writes schema.sql anew').toEqual(golden.split('\n'))
})

test('schema.sql makes the schema that it describes', async () => {
  const golden = await readFile(schemaFile, 'utf8')
  await empty.database.script(golden)
  expect((await renderSchema(empty.database)).split('\n')).toEqual(golden.split('\n'))
})

test('each migration is applied once, however often they are run, and by two at the same time', async () => {
  expect(await pendingMigrations(empty.database)).toEqual(migrations)
  const other = new Database({ location: { url: empty.url }, connections: 1 })
  const applied = await Promise.all([migrate(empty.database), migrate(other)])
  await other.close()
  expect(applied.flat().sort()).toEqual(migrations)
  expect(await migrate(empty.database)).toEqual([])
  expect(await pendingMigrations(empty.database)).toEqual([])
  expect(await renderSchema(empty.database)).toBe(schema)
})

test('a migration that fails leaves nothing behind, and the next run goes on where it stopped', async () => {
  // The second migration cannot make its first table.
  await empty.database.script('create table contacts (id integer)')
  await expect(migrate(empty.database)).rejects.toThrow('"contacts" already exists')
  expect(await pendingMigrations(empty.database)).toEqual(migrations.slice(1))
  await empty.database.script('drop table contacts')
  expect(await migrate(empty.database)).toEqual(migrations.slice(1))
  expect(await renderSchema(empty.database)).toBe(schema)
})
