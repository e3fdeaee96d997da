import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compiledProgram } from '../support/compiled.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { hold, isWaitedFor } from '../support/hold.ts'
import { type Environment, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { anApplication, environmentOf } from './support/installations.ts'

const processes = useProcesses()
let database: TestDatabase
let environment: Environment
let application: string

beforeAll(async () => {
  database = await createTestDatabase(2)
  environment = await environmentOf(processes, database)
  const { organizationId } = await anApplication(database.database)
  const listed = await processes.run(['application', 'list', '--organization', organizationId, '--json'], environment)
  application = JSON.parse(listed.out).applications[0].id
})
afterAll(() => database.drop())

const creation = (name: string) => {
  const receiver = ['--url', 'https://hooks.example/crm', '--kinds', '*']
  return ['webhook', 'create', '--application', application, '--name', name, ...receiver, '--json']
}

test('--header-file - reads the headers of a webhook from standard input', async () => {
  const words = [await compiledProgram(), ...creation('Headers'), '--header-file', '-']
  const input = 'X-Key: abc\r\n\nX-Tenant: acme\n'
  const { status, stderr } = spawnSync(process.execPath, words, { env: environment, input, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const shown = await processes.run(['webhook', 'show', 'Headers', '--json'], environment)
  expect(JSON.parse(shown.out).headerNames).toEqual(['X-Key', 'X-Tenant'])
})

test('SIGINT ends webhook log --follow with the status 0, even while it waits for the database', async () => {
  await processes.run(creation('Followed'), environment)
  const held = await hold(database.database, 'lock table webhook_runs in access exclusive mode')
  const program = processes.start(['webhook', 'log', 'Followed', '--follow'], environment)
  await until('the command to read the log', () => isWaitedFor(database.database, 'webhook_runs'))
  expect(await program.end('SIGINT')).toEqual({ status: 0, signal: null, out: '', err: '' })
  await held.release()
})
