import { FileStoreFailure } from './file-store.ts'

/**
 * Waits at most this many milliseconds for an operation of a store or a disk, and then throws `FileStoreFailure`. A later result is passed
 * to `letGo`, so that no unused resource stays open.
 */
export function inTime<Result>(
  asked: Promise<Result>,
  milliseconds: number,
  letGo: (late: Result) => unknown = () => {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(silent(milliseconds))
    }, milliseconds)
    asked
      .then(result => (isLate ? letGo(result) : resolve(result)))
      // Nobody waits for the release any more; the sweep removes what it leaves.
      .catch(reject)
      .finally(() => clearTimeout(timer))
  })
}

/** The same chunks; each must arrive in time. The reader may take any time between two. */
export async function* eachInTime<Chunk>(chunks: AsyncIterable<Chunk>, milliseconds: number): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]()
  const end = () => Promise.resolve(iterator.return?.())
  let isLeft = true
  try {
    for (;;) {
      const { done, value } = await inTime(iterator.next(), milliseconds)
      if (done === true) {
        isLeft = false
        return
      }
      yield value
    }
  } catch (error) {
    isLeft = false
    // A source that does not answer would not confirm its end either.
    end().catch(() => {})
    throw error
  } finally {
    if (isLeft) await inTime(end(), milliseconds)
  }
}

/**
 * Passes chunks to a consumer that must request each next one in time, and must finish in time after the last one. The time that a chunk
 * takes to arrive does not count. Throws `FileStoreFailure` on a timeout; the chunks then end at the next request.
 */
export function takenInTime<Chunk>(
  chunks: AsyncIterable<Chunk>,
  milliseconds: number,
  take: (chunks: AsyncIterable<Chunk>) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isLate = false
    let timer: NodeJS.Timeout | undefined
    const stop = () => clearTimeout(timer)
    const start = () => {
      stop()
      timer = setTimeout(() => {
        isLate = true
        reject(silent(milliseconds))
      }, milliseconds)
    }
    async function* given() {
      stop()
      try {
        for await (const chunk of chunks) {
          start()
          yield chunk
          stop()
          if (isLate) throw silent(milliseconds)
        }
      } finally {
        start()
      }
    }
    start()
    take(given()).then(resolve, reject).finally(stop)
  })
}

function silent(milliseconds: number): FileStoreFailure {
  return new FileStoreFailure(`the store of files has not answered for ${milliseconds / 1000} s`)
}
