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

/** A program of its own, which calls `serveSandbox`. */
export interface SandboxProgram {
  /** Its path below the folder of the program, without the ending. */
  readonly path: string
  /** The most memory that its process may have, in bytes. */
  readonly memory: number
}

/** A file of a stranger, and what is to be done with it. */
export interface Reading {
  readonly program: SandboxProgram
  /** The file to read; the sandbox gets a copy. */
  readonly source: string
  readonly task: unknown
  /** Where the file is moved that the program has written; absent: it writes none. */
  readonly result?: string
  /** The longest that it may take. */
  readonly milliseconds: number
}

const ownExtension = extname(import.meta.url)

/** How long the files of one process may take together, in milliseconds. */
const mostMilliseconds = 120_000
/**
 * Where the server is killed while a file keeps its reader busy, the system ends that one: at once where it knows how, and everywhere
 * after so many seconds of processor time.
 */
const limited = `ulimit -t 600
unset PWD OLDPWD
if command -v setpriv >/dev/null; then exec setpriv --pdeathsig KILL "$@"; fi
exec "$@"`
/** Beside a process that is busy all the time it gets a quarter of a processor. */
const niceness = 6
/** How often the memory of the process is looked at. */
const lookMilliseconds = 50

/**
 * A process that reads files of one organization, one at a time, in a private folder. It knows no environment, has a lower
 * priority, may use nothing but its folder where Node.js can forbid the rest, and is ended when a file costs too much.
 */
export class Sandbox {
  readonly organizationId: string
  readonly program: SandboxProgram
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #exited: Promise<string>
  #isOver = false
  #spentMilliseconds = 0

  /** Starts a process that may use `folder`, and removes the folder when it has ended. */
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

  /** Whether the process takes no further file. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Reads a file. Resolves to what the program answers. Throws `UnreadableFile` with the reason, also `too_slow` and `too_large`,
   * `ClientGone` when nobody waits any more, and another error when the process cannot do its work.
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

  /** Waits for the answer. When this throws, the process has ended: before that its memory is not free for the next one. */
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
    // A process that cannot be told has ended, and says so itself.
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
    // By the system that has no memory left, or by itself when its heap was full.
    if (typeof outcome === 'string' && ['SIGKILL', 'SIGABRT', '134'].includes(outcome))
      throw new UnreadableFile('too_large', tooLarge)
    if (typeof outcome === 'string') throw new Error(`the process that reads a file ended with ${outcome}`)
    this.#spentMilliseconds += performance.now() - began
    await rm(request.source, { force: true })
    this.#hold(false)
    return outcome
  }

  /** Whether this process stays for that one. */
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

/** The memory that a process has, in bytes; 0 when it is gone. */
async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => null)
  if (status !== null) return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? 0) * 1024
  if (process.platform === 'linux') return 0
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return Number(stdout) * 1024
}

/** Requests and the database come first for the processor, and where memory runs out, this process is ended before them. */
function lowerPriority({ pid }: ChildProcess): void {
  // Where the process is gone or the system does not allow it, nothing is lost.
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {})
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {}
}

/**
 * Options for Node.js with which a compiled program may read itself, and read and write one folder: no other file, no other process, no
 * thread, no add-on, and from Node.js 25 on no network. None where this Node.js has no such option (before 22.13), and none for a
 * program that runs from its sources, whose compiler needs more.
 */
function permissionFlags(program: string, folder: string): readonly string[] {
  if (!program.endsWith('.js') || !process.allowedNodeEnvironmentFlags.has('--permission')) return []
  const own = [programFolder, new URL('package.json', packageFolder)].map(url => fileURLToPath(url))
  const readable = [folder, ...own].map(path => `--allow-fs-read=${path}`)
  return ['--permission', `--allow-fs-write=${folder}`, ...readable]
}
