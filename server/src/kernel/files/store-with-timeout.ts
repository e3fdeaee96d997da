import { bounds } from '../limits/index.ts'
import type { ByteRange, FileSource, FileStore, StoredFile } from './file-store.ts'
import { eachInTime, inTime, takenInTime } from './in-time.ts'

/**
 * A store with a timeout: each step that takes longer than `bounds.diskSilence` fails with `FileStoreFailure`, because a network disk can
 * hang for ever. The step itself ends when the disk answers again.
 */
export class StoreWithTimeout implements FileStore {
  readonly #store: FileStore

  constructor(store: FileStore) {
    this.#store = store
  }

  put(key: string, source: FileSource): Promise<void> {
    const { most } = bounds.diskSilence
    if ('path' in source) return inTime(this.#store.put(key, source), most)
    return takenInTime(source.chunks, most, chunks => this.#store.put(key, { chunks }))
  }

  get(key: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return eachInTime(this.#store.get(key, range), bounds.diskSilence.most)
  }

  stat(key: string): Promise<StoredFile | null> {
    return inTime(this.#store.stat(key), bounds.diskSilence.most)
  }

  list(prefix: string): AsyncIterable<StoredFile> {
    return eachInTime(this.#store.list(prefix), bounds.diskSilence.most)
  }

  remove(key: string): Promise<void> {
    return inTime(this.#store.remove(key), bounds.diskSilence.most)
  }

  removeDrafts(): Promise<number> {
    return inTime(this.#store.removeDrafts(), bounds.diskSilence.most)
  }
}
