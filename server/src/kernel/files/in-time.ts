import { FileStoreFailure } from './file-store.ts'

/**
 * Waits so many milliseconds for what a store or a disk was asked, and then throws `FileStoreFailure`. What is answered later is
 * given to `letGo`, so that nothing stays open that nobody uses.
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
      // Nobody waits any more for what is let go of: what stays of it is swept.
      .catch(reject)
      .finally(() => clearTimeout(timer))
  })
}

/** The same chunks, each of which has to come in time. The reader may take any time between two. */
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
    // What is silent would not answer that it ends, either.
    end().catch(() => {})
    throw error
  } finally {
    if (isLeft) await inTime(end(), milliseconds)
  }
}

/**
 * Gives chunks to somebody who has to ask for each next one in time, and to end in time when there are no more. The time that a
 * chunk takes to come does not count. Throws `FileStoreFailure` when the time is over; the chunks then end at the next request.
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
