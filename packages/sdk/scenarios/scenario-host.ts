import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { problemsOf } from './judge.ts'
import type { Outcome } from './play.ts'
import type { Next } from './play-all.ts'
import type { Scenario } from './scenario.ts'
import { ScriptedServer } from './scripted-server.ts'

/** Gives scenarios to a program in another runtime, which plays them with `playAll`, and judges what came of them. */
export class ScenarioHost {
  /** What was not as the scenarios say, with their titles. */
  readonly problems: string[] = []
  /** How many scenarios were played. */
  played = 0
  readonly #scenarios: Iterator<Scenario>
  readonly #server: Server
  #current: { readonly scenario: Scenario; readonly server: ScriptedServer } | undefined
  /** Silences of which the program does not know yet; `false` stands for the end of the scenario. */
  readonly #silences: boolean[] = []
  #toldOfSilence: ((isSilent: boolean) => void) | undefined

  /** @param pages what it serves besides, by path: a page with its script, for browsers. */
  constructor(
    scenarios: Iterable<Scenario>,
    pages: ReadonlyMap<string, readonly [type: string, content: string]> = new Map(),
  ) {
    this.#scenarios = scenarios[Symbol.iterator]()
    this.#server = createServer((request, response) => {
      const [type, content] = pages.get(request.url ?? '') ?? []
      if (type !== undefined) response.writeHead(200, { 'content-type': type }).end(content)
      else void this.#answer(request, response)
    })
  }

  /** Listens, and gives its address. */
  async start(): Promise<string> {
    await new Promise<void>(resolve => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    const address: AddressInfo | string | null = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  async stop(): Promise<void> {
    await this.#current?.server.stop()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answerTo(request)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  async #answerTo(request: IncomingMessage): Promise<unknown> {
    if (request.url === '/next') return this.#next()
    if (request.url === '/silence')
      return (
        this.#silences.shift() ??
        new Promise(resolve => {
          this.#toldOfSilence = resolve
        })
      )
    if (request.url === '/outcome') await this.#judge(await text(request))
    return {}
  }

  async #next(): Promise<Next | null> {
    const { value: scenario, done } = this.#scenarios.next()
    if (done === true) return null
    const server = await ScriptedServer.start(scenario.exchanges, () => this.#tell(true))
    this.#current = { scenario, server }
    return { scenario, url: server.url }
  }

  async #judge(told: string): Promise<void> {
    if (this.#current === undefined) throw new Error('no scenario was asked for')
    const { scenario, server } = this.#current
    const outcome: Outcome = JSON.parse(told)
    this.played += 1
    this.problems.push(
      ...problemsOf(scenario, server.received, outcome).map(problem => `${scenario.title}: ${problem}`),
    )
    await server.stop()
    this.#tell(false)
  }

  #tell(isSilent: boolean): void {
    if (this.#toldOfSilence === undefined) this.#silences.push(isSilent)
    else this.#toldOfSilence(isSilent)
    this.#toldOfSilence = undefined
  }
}
