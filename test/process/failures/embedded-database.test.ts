import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { aContact } from '../../support/builders.ts'
import type { Answer } from '../../support/client.ts'
import { childrenOf, postmasterOf, type Server, sendSignal, useProcesses } from '../../support/process.ts'
import { until, within } from '../../support/waiting.ts'
import { demoClient } from '../support/installations.ts'
import { requestText, Wire } from '../support/wire.ts'

const processes = useProcesses()
let folder: string
let server: Server

beforeAll(async () => {
  folder = await processes.startedBefore()
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

test('a server whose embedded database is lost ends in a few seconds, also while statements wait on silent sessions', async () => {
  const client = await demoClient(server, folder)
  // So that there are sessions.
  await Promise.all(Array.from({ length: 12 }, () => client.post('/contacts', aContact())))
  const postmaster = await postmasterOf(folder)
  if (postmaster === null) throw new Error('the database does not run')
  const stopped = new Set<number>()
  try {
    const asked: Promise<Answer | null>[] = []
    // Requests that come upon a session which has begun after the others were stopped are answered. That session is stopped too then.
    await until('requests that wait for the database', async () => {
      const sessions = childrenOf(postmaster).map(({ pid }) => pid)
      for (const pid of sessions) sendSignal(pid, 'SIGSTOP')
      for (const pid of sessions) stopped.add(pid)
      const six = Array.from({ length: 6 }, () => client.post('/contacts', aContact()).catch(() => null))
      asked.push(...six)
      return (await Promise.race([Promise.all(six), sleep(1000)])) === undefined
    })
    expect(stopped.size).toBeGreaterThan(4)
    const halfway = await Wire.open(server.url)
    const headers = {
      Authorization: `Bearer ${client.token}`,
      'Content-Type': 'application/json',
      'Content-Length': '99',
    }
    halfway.send(`${requestText('POST', '/api/v1/crm/contacts', headers)}{`)
    await halfway.flushed()
    sendSignal(postmaster, 'SIGKILL')

    const { status, err } = await within(10_000, 'the end of the server', server.ended)
    expect(status).toBe(1)
    expect(err).toContain('database lost')
    for (const answer of await Promise.all(asked)) expect([201, 500, 503]).toContain(answer?.status)
  } finally {
    for (const pid of stopped) sendSignal(pid, 'SIGKILL')
  }
})
