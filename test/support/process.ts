import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DatabaseConnection } from '@crm-server/embedded-postgres'
import { afterAll, beforeAll, vi } from 'vitest'
import { findPostmaster } from '../../packages/embedded-postgres/src/postmaster.ts'
import { identifyProcess } from '../../packages/embedded-postgres/src/process-identity.ts'
import { compiledProgram, root } from './compiled.ts'
import { heldMilliseconds } from './held-groups.ts'
import { onceInRun } from './once-in-run.ts'
import { until } from './waiting.ts'

const heldProgram = join(root, 'test', 'support', 'held-program.ts')

/** The line that a server prints when it is ready, which begins with its address. */
export const readyAt = /^CRM server ready: (http:\/\/[^/\s]+)\S*$/mu

export type Environment = Readonly<Record<string, string>>

export interface User {
  readonly uid: number
  readonly gid: number
}

/** How a process ended, and its whole output. */
export interface Ending {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** The program in a process of its own, whose environment has only the variables that the test sets. */
export class Program {
  readonly pid: number
  readonly ended: Promise<Ending>
  out = ''
  err = ''
  readonly #child: ChildProcess
  #running = true

  constructor([file, ...words]: readonly [string, ...string[]], environment: Environment, user?: User, cwd = root) {
    const child = spawn(file, words, {
      cwd,
      env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    })
    if (child.pid === undefined) throw new Error('the program could not be started')
    this.#child = child
    this.pid = child.pid
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (this.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (this.err += text))
    // `close`, not `exit`: all output has been read.
    this.ended = once(child, 'close').then(([status, signal]) => {
      this.#running = false
      return { status, signal, out: this.out, err: this.err }
    })
  }

  get running(): boolean {
    return this.#running
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Stops reading its output. */
  leave(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  /** Sends the signal and waits for the exit. */
  async end(signal: NodeJS.Signals): Promise<Ending> {
    this.send(signal)
    return this.ended
  }

  /** Waits until standard output contains such a text, a minute unless another time is given. */
  async printed(form: RegExp, patience?: number): Promise<RegExpExecArray> {
    return until(
      `${form} on standard output`,
      () => {
        const found = form.exec(this.out)
        if (found === null && !this.#running) throw new Error(`the program ended: ${this.out}${this.err}`)
        return found
      },
      patience,
    )
  }
}

export interface Server extends Program {
  readonly url: string
}

/** The processes and folders of one test file; all are removed at the end, even after failures. */
export class Processes {
  readonly #programs: Program[] = []
  readonly #folders: string[] = []
  /** The arguments of Node.js that start the program. */
  #main: readonly string[] = []

  async compile(compiled: () => Promise<string> = compiledProgram): Promise<void> {
    // The delay of group commits is not part of the product, nor of the compiled program: it runs from the sources.
    if (heldMilliseconds === 0) this.#main = [await compiled()]
    else this.useSources(heldProgram)
  }

  /** From now on starts a program of the tests with this main file, which is not compiled. */
  useSources(main: string): void {
    this.#main = ['--conditions=source', '--import=tsx', main]
  }

  /** From now on starts another program with this main file, such as that of another release. */
  useProgram(main: string): void {
    this.#main = [main]
  }

  start(words: readonly string[], environment: Environment, user?: User): Program {
    return this.#begin(this.#commandOf(words), environment, user)
  }

  /** Starts it in a terminal of its own: returns the terminal, and closing the terminal hangs up. */
  startInTerminal(words: readonly string[], environment: Environment): Program {
    const command = ['exec', ...this.#commandOf(words).map(word => `'${word}'`)].join(' ')
    return this.#begin(['script', '--quiet', '--command', command, '/dev/null'], environment)
  }

  #commandOf(words: readonly string[]): [string, ...string[]] {
    return [process.execPath, ...this.#main, ...words]
  }

  #begin(command: readonly [string, ...string[]], environment: Environment, user?: User): Program {
    const held = { TEST_HELD_LANES: String(heldMilliseconds) }
    const program = new Program(command, { ...held, ...environment }, user)
    this.#programs.push(program)
    return program
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], environment: Environment, user?: User): Promise<Ending> {
    return this.start(words, environment, user).ended
  }

  /** Starts a server on a free port with these flags, and waits until it is ready. */
  async serve(environment: Environment, user?: User, flags: readonly string[] = []): Promise<Server> {
    const program = this.start(['serve', ...flags], { PORT: '0', ...environment }, user)
    const [, url = ''] = await program.printed(readyAt)
    return Object.assign(program, { url })
  }

  /** A path for a data directory that the program creates, in a folder of the user that runs it. */
  async dataDirectory(owner?: User): Promise<string> {
    const folder = join(await this.folder(owner), 'data')
    this.#folders.unshift(folder)
    return folder
  }

  /**
   * A data directory on which a server was started and stopped, with its demo organization. A first start takes seconds, so it is done once
   * per run, and copied.
   */
  async startedBefore(place?: string): Promise<string> {
    const folder = await onceInRun('first-start', made => this.#startOn(join(made, 'data')))
    const copy = place ?? (await this.dataDirectory())
    await promisify(execFile)('cp', ['-a', join(folder, 'data'), copy])
    return copy
  }

  async #startOn(folder: string): Promise<void> {
    await (await this.serve({ CRM_DATA_DIR: folder })).end('SIGTERM')
  }

  /** An empty folder for a data directory, owned by the user that will run the program. */
  async folder(owner?: User): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'crm-process-'))
    this.#folders.push(folder)
    // If the program runs as root, its database belongs to another user, who needs access to the folders above.
    await chmod(folder, 0o755)
    if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
    return folder
  }

  async end(): Promise<void> {
    for (const program of this.#programs) if (program.running) program.send('SIGKILL')
    await Promise.all(this.#programs.map(program => program.ended))
    for (const folder of this.#folders) {
      const pid = await postmasterOf(folder)
      if (pid !== null) sendSignal(pid, 'SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  }
}

export function useProcesses(): Processes {
  // Guards against waiting forever; how long a start takes depends on the load of the machine.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
  const processes = new Processes()
  beforeAll(() => processes.compile())
  afterAll(() => processes.end())
  return processes
}

/** The process id of the database of a data directory; null if there is none. */
export async function postmasterOf(folder: string): Promise<number | null> {
  const found = await findPostmaster(join(folder, 'postgres'))
  return found?.identity.pid ?? null
}

/** The running child processes of this one, with their arguments. */
export function childrenOf(pid: number): { readonly pid: number; readonly command: string }[] {
  const table = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const rows = table.split('\n').map(line => /^ *(\d+) +(\d+) (.*)$/u.exec(line) ?? [])
  return rows.flatMap(([, child, parent, command = '']) =>
    Number(parent) === pid ? [{ pid: Number(child), command }] : [],
  )
}

/** Whether a process with this id is running. A zombie process is not running. */
export function isAlive(pid: number): boolean {
  return identifyProcess(pid) !== undefined
}

/** Signals any process; ignores one that has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The `DATABASE_URL` of a database that is reached through a Unix socket. */
export function databaseUrl({ host, port, user, database }: DatabaseConnection): string {
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
