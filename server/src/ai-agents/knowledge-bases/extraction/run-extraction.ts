import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bounds, programFolder } from '../../../kernel/index.ts'
import type { Asked, Fault, Told } from './extraction-process.ts'
import { type FailureCode, failures } from './unindexable.ts'

/** What a file may have and need: the time in milliseconds, memory and text in bytes, the passages in number. */
type Limits = Readonly<Record<'time' | 'memory' | 'passages' | 'text', number>>

const usual: Limits = {
  time: bounds.knowledgeTime.most,
  memory: bounds.knowledgeMemory.most,
  passages: bounds.knowledgePassages.most,
  text: bounds.knowledgeText.most,
}

/** A program of its own, compiled or not as this one is. */
const place = `ai-agents/knowledge-bases/extraction/extraction-process${extname(import.meta.url)}`
const program = fileURLToPath(new URL(place, programFolder))

/**
 * Reads a file in a process of its own, which is ended when it takes too much time or memory, and knows no environment. Resolves
 * to null when the signal was aborted; throws when the process cannot be started, or ends by itself without a word.
 *
 * @param limits Those that are not the usual ones.
 */
export function runExtraction(
  file: Omit<Asked, keyof Limits>,
  signal: AbortSignal,
  limits: Partial<Limits> = {},
): Promise<Told | null> {
  const { time, ...asked } = { ...usual, ...limits }
  const child = fork(program, { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  return new Promise<Told | null>((resolve, reject) => {
    // It is told when the process has ended: before that its memory is not free for the next one.
    let told: Told | null | undefined
    const end = (what: Told | null) => {
      if (told === undefined) told = what
      child.kill('SIGKILL')
    }
    const late = setTimeout(() => end(failed('too_slow')), time)
    const stop = () => end(null)
    signal.addEventListener('abort', stop, { once: true })
    child.once('message', (message: Told | Fault) => {
      if ('fault' in message) reject(new Error(`a file of a knowledge base could not be read: ${message.fault}`))
      else end(message)
    })
    child.once('error', reject)
    child.once('exit', (code, killedBy) => {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
      // By its watchdog, by the system that has no memory left, or by itself when its heap was full.
      if (told !== undefined) resolve(told)
      else if (killedBy === 'SIGKILL' || killedBy === 'SIGABRT' || code === 134) resolve(failed('too_large'))
      else reject(new Error(`the process that reads a file of a knowledge base ended with ${killedBy ?? code}`))
    })
    if (signal.aborted) stop()
    // A process that cannot be told has ended, and says so itself.
    child.send({ ...file, ...asked } satisfies Asked, () => {})
  })
}

function failed(code: FailureCode): Told {
  return { code, message: failures[code] }
}
