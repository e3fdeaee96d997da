import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-ports.ts'
import { until } from '../support/waiting.ts'

/** How it lends its connections to PostgreSQL. */
export type PoolMode = 'session' | 'transaction'

interface Settings {
  readonly mode: PoolMode
  /** How many connections to PostgreSQL it has for a database. */
  readonly connections: number
}

/** PgBouncer refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A PgBouncer of Debian in front of a PostgreSQL on the loopback address. */
export class PgBouncer {
  readonly #port: number
  readonly #folder: string
  readonly #process: ChildProcess
  #log = ''

  private constructor(port: number, folder: string, started: ChildProcess) {
    this.#port = port
    this.#folder = folder
    this.#process = started
    started.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.#log += text))
  }

  static async start(postgresPort: number, settings: Settings): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'crm-pgbouncer-'))
    await chmod(folder, 0o755)
    const port = await freePort()
    const file = join(folder, 'pgbouncer.ini')
    await writeFile(file, configuration(postgresPort, port, settings), { mode: 0o644 })
    const started = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...user })
    await once(started, 'spawn')
    const pooler = new PgBouncer(port, folder, started)
    await until('PgBouncer to listen', () => {
      if (started.exitCode !== null) throw new Error(`PgBouncer ended: ${pooler.#log}`)
      return pooler.#log.includes('process up')
    })
    return pooler
  }

  /** What `DATABASE_URL` says of a database behind it. */
  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`
  }

  async remove(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGQUIT')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** What it does not know of a start has to be ignored by name, or it refuses the connection. */
function configuration(postgresPort: number, port: number, { mode, connections }: Settings): string {
  return `
[databases]
* = host=127.0.0.1 port=${postgresPort} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${connections}
ignore_startup_parameters = options
`
}
