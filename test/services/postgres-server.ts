import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generate } from 'selfsigned'
import { freePort } from '../support/free-ports.ts'
import { until } from '../support/waiting.ts'

const run = promisify(execFile)
const debian = '/usr/lib/postgresql'

/** The database of an encrypted server that wants a certificate of its client. */
export const guardedDatabase = 'guarded'

/** PostgreSQL refuses to run as root; initdb wants a user that has a name, as "nobody" does. */
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const user = isRoot ? nobody : {}

/** A PostgreSQL of Debian, in a folder of its own, as an operator has it beside the product. */
export class PostgresServer {
  readonly #folder: string
  readonly #programs: string
  #process: ChildProcess | undefined
  #port = 0
  #settings: Readonly<Record<string, string>> = {}

  private constructor(folder: string, programs: string) {
    this.#folder = folder
    this.#programs = programs
  }

  /** Makes a server and starts it. */
  static async primary(): Promise<PostgresServer> {
    const server = await PostgresServer.#in(await aFolder())
    const form = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
    await server.#run('initdb', ['-D', server.#data, ...form])
    await server.start()
    return server
  }

  /**
   * Makes a server that takes encrypted connections alone, and starts it. Its certificate is for this name. The result has the files by
   * which a client knows it, and is known to it.
   */
  static async encrypted(name: string) {
    const server = await PostgresServer.#in(await aFolder())
    await server.#run('initdb', ['-D', server.#data, '--username=postgres', '--auth=trust', '--encoding=UTF8'])
    const { private: key, cert } = await selfSigned(name)
    const client = await selfSigned('postgres')
    const access = `hostssl ${guardedDatabase} all 127.0.0.1/32 trust clientcert=verify-ca\nhostssl all all 127.0.0.1/32 trust\n`
    const files = {
      'server.key': key,
      'server.crt': cert,
      'client.key': client.private,
      'client.crt': client.cert,
      'pg_hba.conf': access,
    }
    for (const [file, text] of Object.entries(files)) {
      await writeFile(join(server.#data, file), text, { mode: 0o600 })
      if (isRoot) await chown(join(server.#data, file), nobody.uid, nobody.gid)
    }
    server.#settings = { ssl: 'on', ssl_ca_file: 'client.crt' }
    await server.start()
    await server.ask(`create database ${guardedDatabase}`)
    const [certificate, clientCertificate, clientKey] = ['server.crt', 'client.crt', 'client.key'].map(file =>
      join(server.#data, file),
    )
    return { server, certificate, clientCertificate, clientKey }
  }

  /** Copies the server behind a port, and starts a standby that follows it through that port, asynchronously. */
  static async standbyOf(port: number): Promise<PostgresServer> {
    const server = await PostgresServer.#in(await aFolder())
    const from = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres']
    await server.#run('pg_basebackup', [
      ...from,
      `--pgdata=${server.#data}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
    ])
    await server.start()
    return server
  }

  static async #in(folder: string): Promise<PostgresServer> {
    const [newest] = (await readdir(debian)).toSorted((one, other) => Number(other) - Number(one))
    if (newest === undefined) throw new Error(`there is no PostgreSQL in ${debian}`)
    return new PostgresServer(folder, join(debian, newest, 'bin'))
  }

  /** Where it listens once it was started, also when it is started again. */
  get port(): number {
    return this.#port
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  async start(): Promise<void> {
    // A port that is free may be somebody else's a while later.
    if (this.#port === 0) this.#port = await freePort()
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      ...this.#settings,
    }
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const started = spawn(join(this.#programs, 'postgres'), ['-D', this.#data, ...words], {
      stdio: 'ignore',
      cwd: '/',
      ...user,
    })
    await once(started, 'spawn')
    this.#process = started
    await until('PostgreSQL to answer', () => {
      if (started.exitCode !== null) throw new Error(`PostgreSQL ended with status ${started.exitCode}`)
      return this.#run('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(this.port)]).then(
        () => true,
        () => false,
      )
    })
  }

  /** What `DATABASE_URL` says of a database of it. */
  url(database: string, port = this.port): string {
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  /** Asks it with Debian's own client, which a standby answers too. */
  async ask(text: string, database = 'postgres'): Promise<string> {
    const { stdout } = await this.#run('psql', ['-X', '-A', '-t', '-d', this.url(database), '-c', text])
    return stdout.trim()
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it cleanly: a standby that follows it gets everything first. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  async remove(): Promise<void> {
    await this.#end('SIGQUIT')
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.#process
    this.#process = undefined
    if (ending === undefined) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    await ended
  }

  #run(program: string, words: readonly string[]) {
    // Its client looks for a certificate in the home of the user.
    const env = { ...process.env, HOME: this.#folder }
    return run(join(this.#programs, program), [...words], { cwd: '/', env, ...user })
  }
}

function selfSigned(name: string) {
  return generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  })
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-postgres-'))
  if (isRoot) await chown(folder, nobody.uid, nobody.gid)
  return folder
}
