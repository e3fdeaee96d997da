import { Failure } from '../api/index.ts'
import { portionsOf, type UnsavedFile, unsavedFiles } from './record-file.ts'

/** What is under way, and what was not saved. */
export interface Uploads {
  readonly files: number
  readonly bytes: number
  readonly sent: number
  readonly isRunning: boolean
  readonly unsaved: readonly UnsavedFile[]
}

export interface UploadWays<Item> {
  /** Sends one portion. Answers the files of it that the server did not take; throws a `Failure` if it took none. */
  readonly send: (portion: readonly Item[], way: PortionWay) => Promise<readonly UnsavedFile[]>
  /** Called after each portion, saved or not. */
  readonly onPortion: () => Promise<unknown>
  /** Called at the end if nobody looks at the uploads and some files were not saved. */
  readonly onUnsaved: (count: number) => void
}

export interface PortionWay {
  readonly signal: AbortSignal
  /** Told how many bytes of the portion have gone. */
  readonly onProgress: (bytes: number) => void
}

const nothing: Uploads = { files: 0, bytes: 0, sent: 0, isRunning: false, unsaved: [] }

/**
 * Sends files portion by portion; files that are added meanwhile go after them. A portion that is refused does not hold up the next ones,
 * except where these would be refused as well. Each file that was not saved is named.
 */
export function createUploadQueue<Item extends { readonly name: string; readonly size: number }>() {
  let now = nothing
  let waiting: (readonly Item[])[] = []
  let giveUp = new AbortController()
  const listeners = new Set<() => void>()
  const note = (change: Partial<Uploads>) => {
    now = { ...now, ...change }
    for (const listen of listeners) listen()
  }
  const sendPortion = async (portion: readonly Item[], { send, onPortion }: UploadWays<Item>) => {
    const { signal } = giveUp
    const { sent } = now
    const size = bytesOf(portion)
    const onProgress = (bytes: number) => note({ sent: sent + Math.min(bytes, size) })
    try {
      const unsaved = await send(portion, { signal, onProgress })
      note({ sent: sent + size, unsaved: [...now.unsaved, ...unsaved] })
    } catch (error) {
      const failure = signal.aborted || !(error instanceof Failure) ? null : error
      const isEnd = failure === null || endsAll.has(failure.status)
      const rest = isEnd ? waiting.flat() : []
      if (isEnd) waiting = []
      const unsaved = [...unsavedFiles(portion, failure), ...unsavedFiles(rest, null)]
      note({ sent: sent + size, unsaved: [...now.unsaved, ...unsaved] })
    }
    await onPortion()
  }
  const run = async (ways: UploadWays<Item>) => {
    for (let portion = waiting.shift(); portion !== undefined; portion = waiting.shift()) {
      await sendPortion(portion, ways)
    }
    note({ isRunning: false })
    if (listeners.size === 0 && now.unsaved.length > 0) ways.onUnsaved(now.unsaved.length)
  }
  return {
    now: () => now,
    subscribe: (listen: () => void) => {
      listeners.add(listen)
      return () => {
        listeners.delete(listen)
      }
    },
    add: (files: readonly Item[], ways: UploadWays<Item>) => {
      if (files.length === 0) return
      const before = now.isRunning ? now : nothing
      waiting.push(...portionsOf(files))
      note({ ...before, files: before.files + files.length, bytes: before.bytes + bytesOf(files), isRunning: true })
      if (before.isRunning) return
      giveUp = new AbortController()
      void run(ways)
    },
    /** Gives up what is being sent and what waits. */
    stop: () => giveUp.abort(),
  }
}

/** Without the server, without a session or the right to write, no other portion is taken either. */
const endsAll = new Set([0, 401, 403])

const bytesOf = (files: readonly { readonly size: number }[]) => files.reduce((sum, { size }) => sum + size, 0)
