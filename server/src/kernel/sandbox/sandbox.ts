import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UnreadableFile } from '../documents/unreadable-file.ts'
import { ClientGone, type WhenGone } from '../input/call.ts'
import { packageFolder, programFolder } from '../product/index.ts'
import { isObject } from '../schema/json.ts'
import type { SandboxRequest } from './serve-sandbox.ts'

/** A separate program, which calls `serveSandbox`. */
export interface SandboxProgram {
  /** Its path below the folder of the program, without the extension. */
  readonly path: string
  /** The most memory that its process may have, in bytes. */
  readonly memory: number
}

/** An untrusted file, and the task to run on it. */
export interface Reading {
  readonly program: SandboxProgram
  /** The file to read; the sandbox gets a copy. */
  readonly source: string
  readonly task: unknown
  /** The path to which the file written by the program is moved; absent if it writes none. */
  readonly result?: string
  /** The time limit. */
  readonly milliseconds: number
}

const ownExtension = extname(import.meta.url)

/** The total time that one process may spend on files, in milliseconds. */
const mostMilliseconds = 120_000
/**
 * If the server is killed while a file keeps its reader busy, the system ends the reader: at once where it supports that, and everywhere
 * after this many seconds of processor time.
 */
const limited = `ulimit -t 600
unset PWD OLDPWD
if command -v setpriv >/dev/null; then exec setpriv --pdeathsig KILL "$@"; fi
exec "$@"`
/** A reader beside a process that is always busy gets a quarter of a processor. */
const niceness = 6
/** How often the memory of the process is checked. */
const lookMilliseconds = 50

/**
 * A process that reads files of one organization, one at a time, in a private folder. It has no environment variables and a lower priority,
 * may access only its folder if Node.js can enforce that, and is killed when a file costs too much.
 */
export class Sandbox {
  readonly organizationId: string
  readonly program: SandboxProgram
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #exited: Promise<string>
  #isOver = false
  #spentMilliseconds = 0

  /** Starts a process that may access `folder`, and removes the folder when the process has ended. */
  constructor(organizationId: string, program: SandboxProgram, folder: string) {
    this.organizationId = organizationId
    this.program = program
    this.#folder = folder
    const path = fileURLToPath(new URL(`${program.path}${ownExtension}`, programFolder))
    const node = [process.execPath, ...process.execArgv, ...permissionFlags(path, folder), path]
    this.#child = spawn('/bin/sh', ['-c', limited, 'sh', ...node], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    lowerPriority(this.#child)
    this.#exited = new Promise<string>(resolve => {
      this.#child.once('error', error => resolve(error.message))
      this.#child.once('exit', (code, signal) => resolve(signal ?? String(code)))
    }).then(async reason => {
      this.#isOver = true
      await rm(this.#folder, { recursive: true, force: true }).catch(() => {})
      return reason
    })
  }

  /** Whether the process accepts no further file. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Reads a file. Resolves to the program's answer. Throws `UnreadableFile` with the reason, including `too_slow` and `too_large`;
   * `ClientGone` when nobody waits any more; and another error when the process cannot work.
   */
  async run({ source, task, result, milliseconds }: Reading, whenGone: WhenGone): Promise<unknown> {
    const request = { source: join(this.#folder, 'source'), result: join(this.#folder, 'result'), task }
    await copyFile(source, request.source).catch(async (error: unknown) => {
      await this.end()
      throw error
    })
    const answer = await this.#answer(request, milliseconds, whenGone)
    try {
      return await this.#resultOf(answer, request, result)
    } finally {
      if (answer.isLarge === true || this.#spentMilliseconds > mostMilliseconds) await this.end()
    }
  }

  async #resultOf(
    answer: Record<string, unknown>,
    request: SandboxRequest<unknown>,
    result: string | undefined,
  ): Promise<unknown> {
    if ('answer' in answer && result !== undefined) await rename(request.result, result)
    else await rm(request.result, { force: true })
    if ('answer' in answer) return answer.answer
    if (!isObject(answer.unreadable)) throw new Error(`a file could not be read: ${String(answer.fault).slice(0, 200)}`)
    const { code, message } = answer.unreadable
    throw new UnreadableFile(String(code).slice(0, 100), String(message).slice(0, 500))
  }

  /** Ends the process, and resolves when it is gone. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Waits for the answer. If this throws, the process has ended: only then is its memory free for the next one. */
  async #answer(
    request: SandboxRequest<unknown>,
    milliseconds: number,
    whenGone: WhenGone,
  ): Promise<Record<string, unknown>> {
    const child = this.#child
    const stop = new AbortController()
    stop.signal.addEventListener('abort', () => {
      this.#isOver = true
      child.kill('SIGKILL')
    })
    this.#hold(true)
    const began = performance.now()
    const late = setTimeout(() => stop.abort(new UnreadableFile('too_slow', tooSlow)), milliseconds)
    const watch = setInterval(async () => {
      const bytes = await residentBytes(child)
      if (bytes > this.program.memory) stop.abort(new UnreadableFile('too_large', tooLarge))
    }, lookMilliseconds)
    const stopListening = whenGone(() => stop.abort(new ClientGone('nobody waits for the file any more')))
    let onMessage = (_message: unknown) => {}
    const answered = new Promise<Record<string, unknown>>(resolve => {
      onMessage = message => resolve(isObject(message) ? message : {})
    })
    child.once('message', onMessage)
    // A process that cannot receive the message has ended, which its exit event reports.
    child.send(request, () => {})
    const outcome = await Promise.race([answered, this.#exited])
    clearTimeout(late)
    clearInterval(watch)
    stopListening()
    child.off('message', onMessage)
    if (stop.signal.aborted) {
      await this.#exited
      throw stop.signal.reason
    }
    // Killed by the system when memory ran out, or by itself when its heap was full.
    if (typeof outcome === 'string' && ['SIGKILL', 'SIGABRT', '134'].includes(outcome))
      throw new UnreadableFile('too_large', tooLarge)
    if (typeof outcome === 'string') throw new Error(`the process that reads a file ended with ${outcome}`)
    this.#spentMilliseconds += performance.now() - began
    await rm(request.source, { force: true })
    this.#hold(false)
    return outcome
  }

  /** Sets whether the child process keeps this process running. */
  #hold(isHeld: boolean): void {
    const { channel } = this.#child
    if (isHeld) {
      this.#child.ref()
      channel?.ref()
    } else {
      this.#child.unref()
      channel?.unref()
    }
  }
}

const tooSlow =
  'Reading the file takes longer than there is time for one file: upload it in parts, or in a simpler form'
const tooLarge = 'The file needs more memory than there is for one file: upload it in parts'

/** The resident memory of a process, in bytes; 0 once it is gone. */
async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => null)
  if (status !== null) return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? 0) * 1024
  if (process.platform === 'linux') return 0
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return Number(stdout) * 1024
}

/** Gives this process less processor time than requests and the database, and lets the system kill it first when memory runs out. */
function lowerPriority({ pid }: ChildProcess): void {
  // Failing is harmless: the process may be gone, or the system may not allow it.
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {})
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {}
}

/**
 * Options for Node.js with which a compiled program may read itself, and read and write one folder: no other file, no other process, no
 * thread, no add-on, and from Node.js 25 on no network. Empty if this Node.js has no such option (before 22.13), or if the program runs
 * from its sources, whose compiler needs more.
 */
function permissionFlags(program: string, folder: string): readonly string[] {
  if (!program.endsWith('.js') || !process.allowedNodeEnvironmentFlags.has('--permission')) return []
  const own = [programFolder, new URL('package.json', packageFolder)].map(url => fileURLToPath(url))
  const readable = [folder, ...own].map(path => `--allow-fs-read=${path}`)
  return ['--permission', `--allow-fs-write=${folder}`, ...readable]
}
