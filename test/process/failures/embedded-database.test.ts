import { beforeAll, expect, test } from 'vitest'
import { aContact } from '../../support/builders.ts'
import { postmasterOf, type Server, sendSignal, useProcesses } from '../../support/process.ts'
import { within } from '../../support/waiting.ts'
import { demoClient } from '../support/installations.ts'

const processes = useProcesses()
let folder: string
let server: Server

beforeAll(async () => {
  folder = await processes.folder()
  server = await processes.serve({ CRM_DATA_DIR: folder })
})

test('a server whose embedded database is killed under load says so and ends, and the next start has all', async () => {
  const client = await demoClient(server, folder)
  const load = Array.from({ length: 50 }, () => client.post('/contacts', aContact()).catch(() => null))
  await Promise.race(load)
  const pid = await postmasterOf(folder)
  if (pid !== null) sendSignal(pid, 'SIGKILL')

  const { status, err } = await within(15_000, 'the end of the server', server.ended)
  expect(status).toBe(1)
  expect(err).toContain('database lost')
  expect(err).not.toContain('Unhandled')
  const answers = (await Promise.all(load)).filter(answer => answer !== null)
  for (const answer of answers) expect([201, 500, 503]).toContain(answer.status)

  server = await processes.serve({ CRM_DATA_DIR: folder })
  const again = await demoClient(server, folder)
  for (const { data } of answers.filter(answer => answer.status === 201)) {
    expect((await again.get(`/contacts/${data.id}`)).data).toEqual(data)
  }
})
