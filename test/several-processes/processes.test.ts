import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { createApplication, createToken } from '../../server/src/settings/index.ts'
import { administrationOf, anApplication, environmentOf } from '../process/support/installations.ts'
import { metricsOf, partsOf, serveWithTwo, untilAllReady } from '../process/support/parts.ts'
import { exchange, requestText, Wire } from '../process/support/wire.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isAlive, type Server, sendSignal, useProcesses } from '../support/process.ts'
import { until, within } from '../support/waiting.ts'

const processes = useProcesses()

describe('a server of two processes', () => {
  let database: TestDatabase
  let server: Server
  let organizationId: string
  let token: string
  let client: Client

  beforeAll(async () => {
    database = await createTestDatabase(2)
    const application = await anApplication(database.database)
    organizationId = application.organizationId
    token = application.token
    const environment = await environmentOf(processes, database)
    server = await serveWithTwo(processes, { ...environment, TRUSTED_PROXIES: '127.0.0.1' })
    client = new Client(server.url, token)
  })
  beforeEach(() => untilAllReady(server))
  afterAll(() => database?.drop())

  const headers = () => ({ Authorization: `Bearer ${token}` })
  const listing = (more: Record<string, string> = {}, of = 'contacts') =>
    requestText('GET', `/api/v1/crm/${of}?limit=1`, { ...headers(), ...more })

  /** A connection that a process has, so that the next one goes to the process with the fewest. */
  async function openAnswered(): Promise<Wire> {
    const wire = await Wire.open(server.url)
    wire.send(listing())
    await wire.answered()
    return wire
  }

  /** The status of the answer to a request on a connection of its own, of which nothing is left. */
  async function statusOf(request: string): Promise<number> {
    const wire = await Wire.open(server.url)
    wire.send(request)
    const [answer] = await wire.answered()
    wire.hangUp()
    return answer?.status ?? 0
  }

  /** A token of an application with this limit. */
  async function limitedTo(rateRead: number): Promise<string> {
    const administration = administrationOf(database.database)
    const application = { organizationId, name: `Limited ${randomUUID()}`, rateRead, rateWrite: 1 }
    const { id: applicationId } = await createApplication(administration, application)
    const names = { organizationId, applicationId, name: 'Test', scopes: ['all'] }
    return (await createToken(administration, names)).token
  }

  /** The answers to so many requests at the same time, each on a connection of its own, so that all processes have some. */
  async function statusesOf(count: number, authorization: string, address = '192.0.2.1'): Promise<number[]> {
    const request = listing({ Authorization: `Bearer ${authorization}`, 'X-Forwarded-For': address })
    return Promise.all(Array.from({ length: count }, () => statusOf(request)))
  }

  /** Counts within one minute of the clock: when another one has begun meanwhile, everything is done once more. */
  async function withinMinute<Result>(work: () => Promise<Result>): Promise<Result> {
    const minute = () => Math.floor(Date.now() / 60_000)
    for (;;) {
      const begun = minute()
      const result = await work()
      if (minute() === begun) return result
    }
  }

  const count = (statuses: readonly number[], status: number) => statuses.filter(each => each === status).length

  test('both processes answer on one port', async () => {
    const pids = partsOf(server, 'api')
    expect(pids).toHaveLength(2)
    // Connections come to the processes in turns.
    const wires = [await Wire.open(server.url), await Wire.open(server.url)]
    const answeredWithout = async (pid: number | undefined) => {
      if (pid === undefined) throw new Error('there are two processes')
      sendSignal(pid, 'SIGSTOP')
      try {
        const before = wires.map(wire => wire.answers().length)
        for (const wire of wires) wire.send(listing())
        return await until('an answer of the other one', () => {
          const index = wires.findIndex((wire, at) => wire.answers().length > (before[at] ?? 0))
          return index >= 0 && { index }
        })
      } finally {
        sendSignal(pid, 'SIGCONT')
        await until('both answers', () => wires.every(wire => wire.answers().length === wires[0]?.answers().length))
      }
    }
    const first = await answeredWithout(pids[0])
    const second = await answeredWithout(pids[1])
    expect([first.index, second.index].toSorted()).toEqual([0, 1])
    for (const wire of wires) wire.hangUp()
  })

  test('the limit of an application is that of all processes together', async () => {
    const statuses = await withinMinute(async () => statusesOf(30, await limitedTo(10)))
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([10, 20])
  })

  test('failed attempts of an address are counted by all processes together', async () => {
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    let times = 0
    // Each time from another address, because what was counted of the one before may be of the same minute.
    const statuses = await withinMinute(() => {
      times += 1
      return statusesOf(40, wrong, `198.51.100.${times}`)
    })
    expect([count(statuses, 401), count(statuses, 429)]).toEqual([30, 10])
  })

  /** How many lists of companies were asked for, as a scrape tells. */
  const listsOfCompanies = async () =>
    (await metricsOf(server)).sum(/^crm_request_duration_seconds_count\{.*operation="companies\.list"/u)

  test('metrics of any process are those of all, and do not fall when one is killed', async () => {
    // Connections that stay open would keep later ones from the process that has them.
    await Promise.all(Array.from({ length: 20 }, () => statusOf(listing({}, 'companies'))))
    for (let scrapes = 0; scrapes < 4; scrapes += 1) expect(await listsOfCompanies()).toBe(20)
    const [killed] = partsOf(server, 'api')
    if (killed !== undefined) sendSignal(killed, 'SIGKILL')
    await until('another process', async () => !partsOf(server, 'api').includes(killed ?? 0))
    await untilAllReady(server)
    expect(await listsOfCompanies()).toBe(20)
  })

  async function untilReplaced(former: readonly number[]): Promise<void> {
    await until('new processes', () => {
      const present = partsOf(server)
      return present.length === 3 && !present.some(pid => former.includes(pid))
    })
    await untilAllReady(server)
  }

  test('a process that is killed under load is replaced; the connections of the other one are served on', async () => {
    const [killed, kept] = partsOf(server, 'api')
    let asking = true
    const created: unknown[] = []
    const wires: Wire[] = []
    for (let count = 0; count < 8; count += 1) wires.push(await openAnswered())
    const clients = wires.map(wire => {
      const work = async () => {
        for (let answers = 2; asking; answers += 1) {
          const form = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), ...headers() }
          wire.send(requestText('POST', '/api/v1/crm/contacts', form, JSON.stringify(aContact())))
          const answer = (await wire.answered(answers)).at(-1)
          expect(answer?.status).toBe(201)
          created.push(answer?.body['data'])
        }
      }
      const ended = work().then(
        () => 'served',
        () => 'cut',
      )
      return { wire, ended }
    })
    await until('load on both', () => wires.every(wire => wire.answers().length > 4))
    if (killed !== undefined) sendSignal(killed, 'SIGKILL')
    await until('the end of its connections', () => wires.some(wire => wire.closed))
    const before = created.length
    await until('more answers of the other one', () => created.length > before + 20)
    asking = false
    const endings = await Promise.all(clients.map(({ ended }) => ended))
    const cut = endings.filter(ending => ending === 'cut').length
    expect(cut).toBe(wires.filter(wire => wire.closed).length)
    // Others may be open, of tests before, so that one of the two was given more of these.
    expect(cut).toBeGreaterThanOrEqual(1)
    expect(cut).toBeLessThanOrEqual(7)
    await untilAllReady(server)
    const present = partsOf(server, 'api')
    expect(present).toHaveLength(2)
    expect(present).toContain(kept)
    expect(present).not.toContain(killed)
    for (const data of created) {
      const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : null
      expect((await client.get(`/contacts/${id}`)).status).toBe(200)
    }
    for (const wire of wires) wire.hangUp()
  })

  test('a connection of a process that hangs is served by another one when the process is killed', async () => {
    const [hung = 0] = partsOf(server, 'api')
    sendSignal(hung, 'SIGSTOP')
    const wires = await Promise.all(Array.from({ length: 16 }, () => Wire.open(server.url)))
    for (const wire of wires) wire.send(listing())
    const answered = () => wires.filter(wire => wire.answers().length > 0)
    await until('the answers of the other one', () => answered().length >= 15)
    sendSignal(hung, 'SIGKILL')
    const answers = await Promise.all(wires.map(wire => wire.answered()))
    expect(answers.map(([answer]) => answer?.status)).toEqual(wires.map(() => 200))
    for (const wire of wires) wire.hangUp()
  })

  test('a process that hangs is noticed, gets no connections, and loses the one that it had', async () => {
    const [still = 0] = partsOf(server, 'api')
    const linesOf = (text: string) =>
      server.err.split('\n').filter(line => line.includes(text) && line.includes(`"pid":${still}`)).length
    const create = (externalId: string) => {
      const form = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), ...headers() }
      return requestText('POST', '/api/v1/crm/contacts', form, JSON.stringify({ ...aContact(), externalId }))
    }
    onTestFinished(() => sendSignal(still, 'SIGCONT'))
    sendSignal(still, 'SIGSTOP')
    const ids = Array.from({ length: 16 }, () => randomUUID())
    const wires = await Promise.all(ids.map(() => Wire.open(server.url)))
    for (const [index, wire] of wires.entries()) wire.send(create(ids[index] ?? ''))
    // One of them was given to the process that stands still.
    const answers = await Promise.all(wires.map(wire => wire.answered()))
    expect(answers.map(([answer]) => answer?.status)).toEqual(wires.map(() => 201))
    await until('the line of the log', () => linesOf('stands still') === 1)
    // On a new connection: others may be those of the process that stands still.
    const [metrics] = await exchange(server.url, requestText('GET', '/metrics', { Connection: 'close' }))
    expect(metrics?.text).toContain('crm_processes{role="api"} 1\n')
    const later = await Promise.all(Array.from({ length: 16 }, () => statusOf(listing())))
    expect(later).toEqual(later.map(() => 200))
    sendSignal(still, 'SIGCONT')
    await until('its return', () => linesOf('runs again') === 1)
    await untilAllReady(server)
    // Connections come to both again. It does not touch the one that it had been given, which another process has.
    const more = [await Wire.open(server.url), await Wire.open(server.url)]
    const [other = 0] = partsOf(server, 'api').filter(pid => pid !== still)
    onTestFinished(() => sendSignal(other, 'SIGCONT'))
    sendSignal(other, 'SIGSTOP')
    for (const wire of wires) wire.send(listing())
    for (const wire of wires) await wire.flushed()
    for (const wire of more) wire.send(listing())
    await until('an answer of the one that runs again', () => more.some(wire => wire.answers().length > 0))
    expect(wires.map(wire => wire.answers().length)).toEqual(wires.map(() => 1))
    sendSignal(other, 'SIGCONT')
    await Promise.all([...more.map(wire => wire.answered()), ...wires.map(wire => wire.answered(2))])
    for (const externalId of ids) expect((await client.get(`/contacts?externalId=${externalId}`)).items).toHaveLength(1)
    for (const wire of [...wires, ...more]) wire.hangUp()
    await untilAllReady(server)
  })

  test('an address has a quarter of the connections of all processes', async () => {
    const from = '127.0.0.2'
    const share = 2 * bounds.addressConnections.most
    const refusal = await until('the refusal of one more', async () => {
      const wires = await Promise.all(Array.from({ length: share }, () => Wire.open(server.url, from)))
      const wire = await Wire.open(server.url, from)
      wire.send(listing())
      const answers = await wire.ended()
      for (const each of [...wires, wire]) each.hangUp()
      return answers.length > 0 && answers
    })
    expect(refusal.map(({ status, headers }) => [status, headers.connection])).toEqual([[503, 'close']])
    expect(refusal[0]?.error.details).toMatchObject({ bound: 'addressConnections' })
    await until('its places again', async () => {
      const wire = await Wire.open(server.url, from)
      wire.send(listing() + listing())
      const answers = await wire.answered(2).catch(() => [])
      wire.hangUp()
      return answers.every(({ status }) => status === 200) && answers.length === 2
    })
  })

  test('when all processes are killed at once, others serve on the same port', async () => {
    for (const pid of partsOf(server, 'api')) sendSignal(pid, 'SIGKILL')
    await untilAllReady(server)
    expect((await client.get('/contacts?limit=1')).status).toBe(200)
  })

  test('SIGHUP replaces each process, one after another, fails no request of clients that go on, and forgets no count', async () => {
    const former = partsOf(server)
    await client.get('/companies?limit=1')
    const counted = await listsOfCompanies()
    expect(counted).toBeGreaterThan(0)
    let asking = true
    let served = 0
    const clients = Array.from({ length: 6 }, async (_, index) => {
      while (asking) {
        const answer =
          index % 2 === 0 ? await client.get('/contacts?limit=1') : await client.post('/contacts', aContact())
        expect([200, 201]).toContain(answer.status)
        served += 1
        // What is tested is that each is answered: more of them would take the processor from the starts.
        await sleep(50)
      }
    })
    await until('load', () => served > 50)
    server.send('SIGHUP')
    await Promise.race([untilReplaced(former), Promise.all(clients)])
    const before = served
    await until('answers of the new processes', () => served > before + 50)
    asking = false
    await Promise.all(clients)
    expect(await listsOfCompanies()).toBe(counted)
    await client.get('/companies?limit=1')
    expect(await listsOfCompanies()).toBe(counted + 1)
  })

  test('a connection that is silent for a moment while its process is replaced is served, and then closed', async () => {
    const former = partsOf(server)
    const wires = await Promise.all(Array.from({ length: 12 }, () => Wire.open(server.url)))
    const answersOf = () => wires.map(wire => wire.answers())
    const isOpen = (wire: Wire) => wire.answers().at(-1)?.headers.connection !== 'close'
    const askAll = async () => {
      const asked = wires.filter(isOpen).map(wire => ({ wire, count: wire.answers().length + 1 }))
      for (const { wire } of asked) wire.send(listing())
      await Promise.all(asked.map(({ wire, count }) => wire.answered(count)))
    }
    const leaves = server.err.split('hand over').length
    server.send('SIGHUP')
    // A start may take longer than a process that takes leave waits for a silent connection. So they are silent only from then on.
    for (; server.err.split('hand over').length === leaves; await sleep(100)) await askAll()
    // As long as a server that stops would still listen to them, and longer.
    await sleep(1000)
    await askAll()
    expect(new Set(answersOf().flatMap(answers => answers.map(({ status }) => status)))).toEqual(new Set([200]))
    // Some were given to the one that takes leave, however many of tests before are still open.
    expect(wires.every(isOpen)).toBe(false)
    for (const wire of wires) wire.hangUp()
    await untilReplaced(former)
  })

  test('SIGTERM ends a server that replaces its processes, and none is started any more', async () => {
    const other = await serveWithTwo(processes, await environmentOf(processes, database))
    const former = partsOf(other, 'api')
    const [worker = 0] = partsOf(other, 'worker')
    sendSignal(worker, 'SIGSTOP')
    other.send('SIGHUP')
    await until('new processes for requests', () => {
      const present = partsOf(other, 'api')
      return present.length === 2 && !present.some(pid => former.includes(pid))
    })
    // The process for jobs was told to end, and a new one is to take its place.
    other.send('SIGTERM')
    await until('the end of those for requests', () => partsOf(other, 'api').length === 0)
    sendSignal(worker, 'SIGCONT')
    expect(await within(30_000, 'the end of the server', other.ended)).toMatchObject({ status: 0, signal: null })
  })

  test('SIGTERM also ends a process that has just been started in the place of another one', async () => {
    const former = partsOf(server, 'api')
    const [killed] = former
    if (killed !== undefined) sendSignal(killed, 'SIGKILL')
    await until('the start of another one', () => partsOf(server, 'api').some(pid => !former.includes(pid)))
    const all = partsOf(server)
    server.send('SIGTERM')
    expect(await within(30_000, 'the end of the server', server.ended)).toMatchObject({ status: 0, signal: null })
    expect(all.filter(isAlive)).toEqual([])
  })
})
