import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/free-ports.ts'

/** A Redis of the test's own, on a loopback port that stays the same when it is started again. */
export class RedisServer {
  readonly url: string
  readonly #port: number
  readonly #directory: string
  #process: ChildProcess | undefined

  private constructor(port: number, directory: string) {
    this.#port = port
    this.#directory = directory
    this.url = `redis://127.0.0.1:${port}`
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), await mkdtemp(join(tmpdir(), 'crm-redis-')))
    await server.start()
    return server
  }

  /** Starts it, empty, and waits until it answers. */
  async start(): Promise<void> {
    const where = ['--bind', '127.0.0.1', '--port', String(this.#port), '--dir', this.#directory]
    const started = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
    await once(started, 'spawn')
    this.#process = started
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (await answers(this.#port)) return
      await pause(25)
    }
    throw new Error('redis-server does not answer')
  }

  /** Ends it at once, as a crash would. */
  async stop(): Promise<void> {
    const ending = this.#process
    this.#process = undefined
    if (ending === undefined) return
    const ended = once(ending, 'exit')
    ending.kill('SIGKILL')
    await ended
  }

  /** It stays reachable and says nothing any more, until it is resumed. */
  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (answered: boolean) => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('data', data => end(data.toString().startsWith('+PONG')))
    socket.once('error', () => end(false))
  })
}
