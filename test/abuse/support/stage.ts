import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, inject, vi } from 'vitest'
import { startArguments } from '../../../bench/options.ts'
import type { Database } from '../../../server/src/kernel/sql/index.ts'
import { besideServer } from '../../process/support/installations.ts'
import { Client } from '../../support/client.ts'
import { compileProgram } from '../../support/compiled.ts'
import { Processes, postmasterOf, type Server, sendSignal } from '../../support/process.ts'
import { within } from '../../support/waiting.ts'
import { Companion } from './companion.ts'
import { Figures } from './figures.ts'
import { type Attack, type Observation, type Outcome, type Probe, type Watch, wholePath } from './protocol.ts'
import { figuresOf, type Measured, rounded } from './report.ts'
import type { Scene } from './scene.ts'
import { type Slowness, unhealthy } from './slowness.ts'

const aloneMilliseconds = 2000
/** Statements are prepared and code is compiled in that time. */
const warmUpMilliseconds = 1500
const drainMilliseconds = 20_000
const patienceMilliseconds = 60_000
/** How often the processor time of one request is taken. */
const costRounds = 3

/** What is asked beside an attack, and how quick that has to be besides `/livez` and `/readyz`. */
interface Measurement {
  readonly paths?: readonly string[]
  readonly promises?: readonly Slowness[]
  /** Promises that compare with how the quiet organization is served alone, which is watched for them only. */
  readonly compared?: readonly Slowness[]
}

type OwnAttack = Omit<Attack, 'url' | 'tokens'> & Partial<Pick<Attack, 'tokens'>>

/** The started program as `npm start` starts it, on the data of the run, with somebody who watches and some who attack. */
export class Stage {
  readonly scene: Scene = inject('scene')
  readonly name: string
  readonly #processes = new Processes()
  #server: Server | undefined
  #database: Database | undefined
  #attacker: Companion<Attack, Outcome> | undefined
  #observer: Companion<Watch | 'stop', Observation> | undefined

  constructor(name: string) {
    this.name = name
  }

  get server(): Server {
    return given(this.#server)
  }

  /** The embedded database of the server, beside it. */
  get database(): Database {
    return given(this.#database)
  }

  get loud(): Client {
    return new Client(this.server.url, this.scene.loud.token)
  }

  get quiet(): Client {
    return new Client(this.server.url, this.scene.quiet.token)
  }

  async open(): Promise<void> {
    // The setup has compiled it: this finds it.
    await this.#processes.compile(compileProgram)
    const environment = { CRM_DATA_DIR: this.scene.folder, NODE_OPTIONS: startArguments().join(' ') }
    this.#server = await this.#processes.serve(environment)
    this.#database = await besideServer(this.scene.folder)
    this.#attacker = new Companion('attacker')
    this.#observer = new Companion('observer')
  }

  /** Carries out an attack; of the loud organization, unless told whose. */
  async attack(attack: OwnAttack): Promise<Outcome> {
    return given(this.#attacker).ask({ url: this.server.url, tokens: [this.scene.loud.token], ...attack })
  }

  /** The least processor time that the same attack costs, as told by the clock, of three times: in seconds. */
  async leastSeconds(attack: OwnAttack, clock: () => Promise<number>): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let round = 1; round <= costRounds; round += 1) {
      const before = await clock()
      await this.attack(attack)
      least = Math.min(least, (await clock()) - before)
    }
    return least
  }

  /** What is seen of the server while the work goes on, and what comes of the work. */
  async watch<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<[Observation, Result]> {
    const observer = given(this.#observer)
    const probes: Probe[] = paths.map(path => ({ path, token: this.scene.quiet.token }))
    await observer.ask({ url: this.server.url, pid: this.server.pid, probes })
    const result = await work()
    return [await observer.ask('stop'), result]
  }

  /**
   * Watches how the quiet organization is served while the attack goes on, and alone before it where that is compared, at
   * these paths besides one of its contacts. A machine that does something else makes all slower, never quicker: what was slow is measured
   * anew for a minute.
   */
  async measure(
    work: () => Promise<Outcome>,
    { paths = [], promises = [], compared = [] }: Measurement = {},
  ): Promise<Measured> {
    const all = [`/contacts/${this.scene.quiet.contactId}`, ...paths].map(wholePath)
    for (const started = Date.now(); ; ) {
      const measured = await this.#measureOnce(work, all, compared.length > 0)
      const slow = [unhealthy, ...promises, ...compared].flatMap(slowness => slowness(measured))
      if (slow.length === 0 || Date.now() - started > patienceMilliseconds) return measured
      await this.report('measured again, because of', slow.join(', '))
    }
  }

  async #measureOnce(work: () => Promise<Outcome>, paths: readonly string[], isCompared: boolean): Promise<Measured> {
    const [{ megabytes: megabytesBefore }] = await this.watch(paths, () => sleep(warmUpMilliseconds))
    const alone = isCompared ? (await this.watch(paths, () => sleep(aloneMilliseconds)))[0] : null
    const [during, outcome] = await this.watch(paths, work)
    const measured = { megabytesBefore, alone, during, outcome }
    for (const [figure, value] of figuresOf(measured)) await this.report(figure, value)
    await this.report('the server', this.server.running ? 'lives' : 'died')
    return measured
  }

  /** Adds a line to the table that is printed in the end. */
  async report(figure: string, value: number | string, unit = ''): Promise<void> {
    const text = typeof value === 'number' ? rounded(value, unit) : value
    await new Figures(this.scene.folder).add(this.name, figure, text)
  }

  async close(): Promise<void> {
    await this.#database?.close()
    await Promise.all([this.#attacker?.end(), this.#observer?.end()])
    await this.#stop()
    await this.#processes.end()
  }

  /** The next attack begins with a server and a database of its own, whatever this one has made of them. */
  async #stop(): Promise<void> {
    if (this.#server?.running) {
      const stopped = await within(drainMilliseconds, 'the end of the server', this.#server.end('SIGTERM')).then(
        () => true,
        () => false,
      )
      if (stopped) return
      this.#server.send('SIGKILL')
    }
    const postmaster = await postmasterOf(this.scene.folder)
    if (postmaster !== null) sendSignal(postmaster, 'SIGKILL')
  }
}

export function useStage(name: string): Stage {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 })
  const stage = new Stage(name)
  beforeAll(() => stage.open())
  afterAll(() => stage.close())
  return stage
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the stage is not open')
  return value
}
