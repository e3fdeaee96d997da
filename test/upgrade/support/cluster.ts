import type { Environment, Processes, Server } from '../../support/process.ts'
import type { Balancer } from './balancer.ts'

/** Servers on one database behind a balancer, of one release or of several. */
export class Cluster {
  readonly #balancer: Balancer
  readonly #environment: Environment
  readonly #servers: Server[] = []

  constructor(balancer: Balancer, environment: Environment) {
    this.#balancer = balancer
    this.#environment = environment
  }

  /** Where each server is. */
  get urls(): string[] {
    return this.#servers.map(({ url }) => url)
  }

  /** One more server, of this release. */
  async add(release: Processes): Promise<void> {
    await this.#start(release, this.#servers.length)
  }

  /** Puts a server of this release in the place of another, as operators are told: out of the balancer, ended, started anew. */
  async replace(place: number, release: Processes): Promise<void> {
    const server = this.#servers[place]
    if (server === undefined) throw new Error(`there is no server ${place}`)
    await this.#balancer.drain(server.url)
    const { status, err } = await server.end('SIGTERM')
    if (status !== 0) throw new Error(`server ${place} ended with ${status}: ${err}`)
    await this.#start(release, place)
  }

  async #start(release: Processes, place: number): Promise<void> {
    const server = await release.serve(this.#environment)
    this.#servers[place] = server
    await this.#balancer.add(server.url)
  }
}
