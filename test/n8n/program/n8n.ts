import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseConnection } from '@crm-server/embedded-postgres'
import { run } from '../../../scripts/release/run.ts'
import { freePorts } from '../../support/free-ports.ts'
import { type Environment, Program } from '../../support/process.ts'

/** n8n 2.40 runs on Node.js 24, which comes as a package too. */
const node = `node-${process.platform}-${process.arch}`
const programs = { n8n: '2.40.7', [node]: '24.21.0' }

const install = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']

/** n8n with the packed nodes among its community nodes. What it keeps is in a database and a folder, which the caller removes. */
export class N8n {
  readonly url: string
  readonly #programs: string
  readonly #folder: string
  readonly #environment: Environment
  #server: Program | undefined

  private constructor(folder: string, port: number, environment: Environment) {
    this.url = `http://127.0.0.1:${port}`
    this.#programs = process.env['N8N_INSTALLED'] ?? folder
    this.#folder = folder
    this.#environment = environment
  }

  /** Installs the nodes from their file, and n8n, which takes minutes and 3 GB, unless N8N_INSTALLED names a folder that has it. */
  static async install(
    folder: string,
    nodes: string,
    { host, port, user, database }: DatabaseConnection,
  ): Promise<N8n> {
    if (process.env['N8N_INSTALLED'] === undefined) {
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: programs }))
      await run('npm', install, folder)
    }
    const community = join(folder, '.n8n', 'nodes')
    await mkdir(community, { recursive: true })
    await run('npm', [...install, nodes], community)
    const [own = 0, broker = 0] = await freePorts(2)
    return new N8n(folder, own, {
      HOME: folder,
      N8N_USER_FOLDER: folder,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_PORT: String(own),
      N8N_RUNNERS_BROKER_PORT: String(broker),
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: host,
      DB_POSTGRESDB_PORT: String(port),
      DB_POSTGRESDB_USER: user,
      DB_POSTGRESDB_DATABASE: database,
    })
  }

  /** Runs a command to its end, and returns what it printed. Throws that if the command fails. */
  async command(...words: readonly string[]): Promise<string> {
    const { status, out, err } = await this.#begin(words).ended
    if (status !== 0) throw new Error(`n8n ${words.join(' ')}: ${out}\n${err}`)
    return out
  }

  /** Imports credentials or workflows. */
  async import(kind: 'credentials' | 'workflow', content: readonly object[]): Promise<void> {
    const file = join(this.#folder, `${kind}.json`)
    await writeFile(file, JSON.stringify(content))
    await this.command(`import:${kind}`, `--input=${file}`)
  }

  /** Starts it. Published workflows begin to wait for events some seconds later. */
  async start(): Promise<void> {
    this.#server = this.#begin(['start'])
    await this.#server.printed(/Editor is now accessible/u, 180_000)
  }

  /** Ends it, if it runs. */
  async stop(): Promise<void> {
    if (this.#server?.running === true) await this.#server.end('SIGTERM')
  }

  #begin(words: readonly string[]): Program {
    const installed = join(this.#programs, 'node_modules')
    const command = [join(installed, node, 'bin', 'node'), join(installed, 'n8n', 'bin', 'n8n')] as const
    return new Program([...command, ...words], this.#environment, undefined, this.#folder)
  }
}
