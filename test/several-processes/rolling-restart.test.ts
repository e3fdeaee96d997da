import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anApplication, environmentOf } from '../process/support/installations.ts'
import { partsOf, untilAllReady } from '../process/support/parts.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { Balancer } from '../upgrade/support/balancer.ts'

const processes = useProcesses()

/** How long a client waits between two requests: as fast as they can, six of them would take the processor from the starts. */
const pause = 50

/** Clients that write through the balancer, one request after another. */
class Writers {
  readonly answers: string[] = []
  readonly #working: Promise<unknown>
  #isOver = false

  constructor(client: Client) {
    const work = async () => {
      while (!this.#isOver) {
        const { status } = await client.post('/contacts', aContact())
        this.answers.push(`${status}`)
        await sleep(pause)
      }
    }
    this.#working = Promise.all(Array.from({ length: 6 }, work))
  }

  /** Resolves when so many more were answered. */
  async goOn(count = 50): Promise<void> {
    const enough = this.answers.length + count
    await until('more answers', () => this.answers.length >= enough)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#working
  }
}

/** Two servers with these flags behind a balancer, which knows of them only what `/readyz` says ten times a second. */
function twoServersBehindBalancer(flags: readonly string[]) {
  const balancer = new Balancer()
  const servers: Server[] = []
  let database: TestDatabase
  let environment: Record<string, string>
  let writers: Writers

  const start = async () => {
    const server = await processes.serve(environment, undefined, flags)
    servers.push(server)
    await balancer.add(server.url)
  }

  beforeAll(async () => {
    database = await createTestDatabase(2)
    const { token } = await anApplication(database.database)
    environment = { ...(await environmentOf(processes, database)), SHUTDOWN_DELAY_SECONDS: '3' }
    await balancer.start()
    await start()
    await start()
    writers = new Writers(new Client(balancer.url, token))
    await writers.goOn()
  })
  afterAll(async () => {
    await writers?.end()
    await balancer.stop()
    for (const server of servers) if (server.running) await server.end('SIGKILL')
    await database?.drop()
  })

  return {
    start,
    running: () => servers.filter(server => server.running),
    goOn: () => writers.goOn(),
    expectSuccess() {
      expect(balancer.failures).toEqual([])
      expect(new Set(writers.answers)).toEqual(new Set(['201']))
    },
  }
}

/** Stops a server and starts another one in its place, while the clients go on. */
async function replace(server: Server, scene: ReturnType<typeof twoServersBehindBalancer>): Promise<void> {
  expect((await server.end('SIGTERM')).status).toBe(0)
  await scene.goOn()
  await scene.start()
  await scene.goOn()
}

describe('two servers of one process', () => {
  const scene = twoServersBehindBalancer([])

  test('are stopped and started again under load, one after the other, and no request fails', async () => {
    for (const server of scene.running()) await replace(server, scene)
    scene.expectSuccess()
  })
})

describe('two servers of several processes', () => {
  const scene = twoServersBehindBalancer(['--processes', '2'])

  test('go on while one of them is stopped and started again under load, and no request fails', async () => {
    for (const server of scene.running().slice(0, 1)) await replace(server, scene)
    scene.expectSuccess()
  })

  test('get new processes on SIGHUP, both at once, and no request fails', async () => {
    const former = scene.running().map(server => partsOf(server, 'api'))
    for (const server of scene.running()) server.send('SIGHUP')
    await until('new processes', () =>
      scene.running().every((server, index) => {
        const present = partsOf(server, 'api')
        return present.length === 2 && !present.some(pid => former[index]?.includes(pid))
      }),
    )
    for (const server of scene.running()) await untilAllReady(server)
    await scene.goOn()
    scene.expectSuccess()
  })
})
