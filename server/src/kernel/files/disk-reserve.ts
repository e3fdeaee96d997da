import { statfs } from 'node:fs/promises'
import { bounds } from '../limits/index.ts'
import { inTime } from './in-time.ts'

/** How long what was seen of the volumes is taken for what they are like now. */
const freshMilliseconds = 1000

/** The part of a volume that is kept free, where that is less than `bounds.diskReserve`. */
const keptPart = 0.05

/**
 * What is kept free of the volumes of an installation, so that rows can still be written when files have taken the rest: the smaller
 * of `bounds.diskReserve` and 5 percent of each volume.
 */
export class DiskReserve {
  readonly #folders: readonly string[]
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> = Promise.resolve()
  #left = Number.POSITIVE_INFINITY

  /** The folders name the volumes; one that is not there yet does not count. */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /**
   * Sees how much the volumes have free, unless that was seen a moment ago. However many wait for it, they are asked once. Throws
   * `FileStoreFailure` where a volume is silent.
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

  /** Whether a volume would have less free than its reserve with so many bytes more, as it was at the last look. */
  isReached(bytes: number): boolean {
    return this.#left < bytes
  }

  async #see(): Promise<void> {
    const left = await inTime(Promise.all(this.#folders.map(leftOn)), bounds.diskSilence.most)
    this.#left = Math.min(...left)
  }
}

/** How many bytes the volume of a folder has free beyond its reserve. */
async function leftOn(folder: string): Promise<number> {
  const volume = await statfs(folder).catch(() => null)
  // A write to a missing folder fails with its own reason, and some file systems report no size.
  if (volume === null || volume.blocks === 0) return Number.POSITIVE_INFINITY
  const { bavail, blocks, bsize } = volume
  return bavail * bsize - Math.min(bounds.diskReserve.most, blocks * bsize * keptPart)
}
