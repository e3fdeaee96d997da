import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { UnreadableFile } from '../../../kernel/documents/index.ts'
import { passagesOf } from './extract.ts'
import type { FileKind } from './file-kind.ts'
import { failures, Unindexable } from './unindexable.ts'

/** What a process is asked to read. */
export interface Asked {
  readonly kind: FileKind
  readonly source: string
  /** The file to write, which is not there yet. */
  readonly result: string
  /** The most bytes of memory that the process may have, and the most passages and bytes of text that the file may have. */
  readonly memory: number
  readonly passages: number
  readonly text: number
}

/** What became of the file: how many passages there are, or why there are none, for the integrator. */
export type Told = { readonly count: number } | { readonly code: string; readonly message: string }

/** What went wrong in the process itself, for the log. */
export interface Fault {
  readonly fault: string
}

/**
 * Ends the process that has too much memory, or whose server is gone. It is a thread because the event loop of this process may
 * stand still in a file, and a text because a thread cannot load TypeScript where the server runs from its sources.
 */
const watchdog = `
  const { memory, server } = require('node:worker_threads').workerData
  setInterval(() => {
    if (process.memoryUsage.rss() > memory || process.ppid !== server) process.kill(process.pid, 'SIGKILL')
  }, 20)
`

/** This is the process in which one file is read: nothing of a hostile one reaches memory or event loop of the server. */
process.once('message', async (asked: Asked) => {
  new Worker(watchdog, { eval: true, workerData: { memory: asked.memory, server: process.ppid } })
  const told: Told | Fault = await written(asked).catch(failureOf)
  process.send?.(told, () => process.exit(0))
})

/** How many characters are written at a time. */
const portion = 64 * 1024

/** Writes the passages of the file as lines of JSON. */
async function written({ kind, source, result, passages, text }: Asked): Promise<Told> {
  let [count, bytes, lines] = [0, 0, '']
  const file = await open(result, 'wx', 0o600)
  try {
    for await (const passage of passagesOf(source, kind)) {
      const line = `${JSON.stringify(passage)}\n`
      count += 1
      bytes += Buffer.byteLength(line)
      if (count > passages) throw new Unindexable('too_many_passages')
      if (bytes > text) throw new Unindexable('too_much_text')
      lines += line
      if (lines.length < portion) continue
      await file.write(lines)
      lines = ''
    }
    await file.write(lines)
  } finally {
    await file.close()
  }
  if (count === 0) throw new Unindexable('no_text')
  return { count }
}

function failureOf(error: unknown): Told | Fault {
  if (error instanceof Unindexable) return { code: error.code, message: error.message }
  if (error instanceof UnreadableFile) return { code: error.reason, message: error.message }
  if (error instanceof Error && 'syscall' in error) return { fault: error.message }
  // A library has stumbled over the file, so the file is not as it should be.
  return { code: 'damaged', message: failures.damaged }
}
