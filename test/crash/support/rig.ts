import type { Database } from '../../../server/src/kernel/sql/index.ts'
import { besideServer } from '../../process/support/installations.ts'
import { type Processes, postmasterOf, type Server, sendSignal } from '../../support/process.ts'

export const targets = ['server', 'database', 'both'] as const
export type Target = (typeof targets)[number]

/** A server with its embedded database that is killed and started again. */
export class Rig {
  readonly folder: string
  readonly #processes: Processes
  #server: Promise<Server>

  private constructor(processes: Processes, folder: string) {
    this.#processes = processes
    this.folder = folder
    this.#server = this.#start()
  }

  static async start(processes: Processes): Promise<Rig> {
    const rig = new Rig(processes, await processes.startedBefore())
    await rig.#server
    return rig
  }

  /** Where the server is; while there is none, where the next one will be. */
  readonly address = async (): Promise<string> => (await this.#server).url

  readonly pid = async (): Promise<number> => (await this.#server).pid

  /** Does something with a connection of its own to the database, beside the server. */
  async beside<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    const database = await besideServer(this.folder)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  /** Ends what is named without warning, and starts again what has ended. */
  async crash(target: Target): Promise<void> {
    const server = await this.#server
    const postmaster = await postmasterOf(this.folder)
    // The server first: it would answer for a database that is gone.
    if (target !== 'database') server.send('SIGKILL')
    if (target !== 'server' && postmaster !== null) sendSignal(postmaster, 'SIGKILL')
    // From here on nobody is sent to the old one.
    this.#server = server.ended.then(() => this.#start())
    await this.#server
  }

  #start(): Promise<Server> {
    return this.#processes.serve({ CRM_DATA_DIR: this.folder })
  }
}
