import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'
import type { DriverAnswer, Round, RoundResult } from './protocol.ts'

/** A server under load. */
export interface Side {
  readonly pid: number
  readonly url: string
}

/** The secret of the measured installation, which also signs cursors. */
export const productSecret = 'a secret of the bench, long enough'

/** The product's own number of connections for writes and point reads, by whether one or several processes answer requests. */
const connectionsOf = (processes: number) => (processes === 1 ? 12 : 6)

/** The compiled product, started as in production, on the scene's database. */
export async function startProduct(
  file: string,
  nodeArguments: readonly string[],
  databaseUrl: string,
  cleanup: Cleanup,
  processes = 1,
): Promise<Side> {
  const flags = processes === 1 ? [] : ['--processes', String(processes)]
  const child = spawnProduct([...nodeArguments, file, 'serve', ...flags], databaseUrl, cleanup)
  return { pid: pidOf(child), url: await printedAddress(child) }
}

/** The product in these roles, each in a process of its own. Returns where it answers requests. */
export async function startRoles(
  file: string,
  roles: readonly ('api' | 'worker')[],
  databaseUrl: string,
  cleanup: Cleanup,
): Promise<Pick<Side, 'url'>> {
  const started = roles.map(role => ({
    role,
    child: spawnProduct([file, 'serve', '--role', role], databaseUrl, cleanup),
  }))
  const api = started.find(({ role }) => role === 'api')
  if (api === undefined) throw new Error('no process answers requests')
  return { url: await printedAddress(api.child) }
}

function spawnProduct(words: readonly string[], databaseUrl: string, cleanup: Cleanup): ChildProcess {
  const settings = { CRM_SECRET: productSecret, PORT: '0', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanup.add(() => end(child))
  return child
}

export async function startBare(url: string, cleanup: Cleanup, processes: number): Promise<Side> {
  const child = forkTypeScript(new URL('./bare/main.ts', import.meta.url), cleanup)
  child.send({ url, connections: connectionsOf(processes), processes })
  const [answer]: { address: string }[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => []),
  ])
  if (answer === undefined) throw new Error('the bare server did not start')
  return { pid: pidOf(child), url: answer.address }
}

/** The process that sends requests. */
export class Driver {
  readonly #child: ChildProcess
  readonly #ended: Promise<never[]>

  constructor(cleanup: Cleanup) {
    this.#child = forkTypeScript(new URL('./driver.ts', import.meta.url), cleanup)
    this.#ended = once(this.#child, 'exit').then(() => [])
  }

  /** Throws the answer if a request was refused. */
  async run(round: Round): Promise<RoundResult> {
    this.#child.send(round)
    const [answer]: DriverAnswer[] = await Promise.race([once(this.#child, 'message'), this.#ended])
    if (answer === undefined || 'failure' in answer) throw new Error(answer?.failure ?? 'the driver did not answer')
    return answer.result
  }
}

export function forkTypeScript(file: URL, cleanup: Cleanup): ChildProcess {
  const child = fork(fileURLToPath(file), { execArgv: ['--import', 'tsx'] })
  cleanup.add(() => end(child))
  return child
}

/** Resolves to the address that the product prints when it is ready; throws with its last output if it exits before. */
export function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    let err = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const address = /^CRM server ready: (http:\/\/[^/\s]+)/mu.exec(out)?.[1]
      if (address !== undefined) resolve(address)
    })
    // Only the last part is kept: the output is read so that the pipe never fills.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (err = `${err}${text}`.slice(-4000)))
    child.once('exit', () => reject(new Error(`the product ended: ${out}${err}`)))
  })
}

export function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a process could not be started')
  return pid
}

/** Asks the process to end and waits for it; kills it after ten seconds. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(impatient)
}
