import { statfs } from 'node:fs/promises'
import { bounds } from '../limits/index.ts'
import { inTime } from './in-time.ts'

/** How long a measurement of the volumes is used. */
const freshMilliseconds = 1000

/** The fraction of a volume that is kept free, if it is less than `bounds.diskReserve`. */
const keptPart = 0.05

/**
 * The space kept free on the volumes of an installation, so that rows can still be written when files have filled the rest: the smaller of
 * `bounds.diskReserve` and 5 percent of each volume.
 */
export class DiskReserve {
  readonly #folders: readonly string[]
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> = Promise.resolve()
  #left = Number.POSITIVE_INFINITY

  /** The folders identify the volumes; a folder that does not exist yet is skipped. */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /**
   * Measures the free space of the volumes, unless it was measured a moment ago. Concurrent callers share one measurement. Throws
   * `FileStoreFailure` if a volume does not answer.
   */
  look(): Promise<void> {
    const now = performance.now()
    if (now - this.#lookedAt < freshMilliseconds) return this.#looking
    this.#lookedAt = now
    this.#looking = this.#see().catch(error => {
      this.#lookedAt = Number.NEGATIVE_INFINITY
      throw error
    })
    return this.#looking
  }

  /** Whether this many more bytes would use a volume's reserve, by the last measurement. */
  isReached(bytes: number): boolean {
    return this.#left < bytes
  }

  async #see(): Promise<void> {
    const left = await inTime(Promise.all(this.#folders.map(leftOn)), bounds.diskSilence.most)
    this.#left = Math.min(...left)
  }
}

/** How many bytes are free on the volume of a folder beyond its reserve. */
async function leftOn(folder: string): Promise<number> {
  const volume = await statfs(folder).catch(() => null)
  // A write to a missing folder fails with its own error, and some file systems report no size.
  if (volume === null || volume.blocks === 0) return Number.POSITIVE_INFINITY
  const { bavail, blocks, bsize } = volume
  return bavail * bsize - Math.min(bounds.diskReserve.most, blocks * bsize * keptPart)
}
