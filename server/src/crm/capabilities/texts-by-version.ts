import { bounds } from '../../kernel/index.ts'

/** The part of the response that depends on the configuration, as JSON, for one application and one set of readable directories. */
export interface Texts {
  /** The version of the configuration that the JSON was built from. */
  readonly version: string
  readonly organization: string
  readonly directories: string
}

/** An LRU cache of JSON texts by name. A text is dropped when its version is old, or when the cache is full. */
export class TextsByVersion {
  /** Ordered by last use, the least recently used first. */
  readonly #texts = new Map<string, Texts>()
  #bytes = 0

  find(name: string, version: string): Texts | null {
    const texts = this.#texts.get(name)
    if (texts === undefined || texts.version !== version) return null
    this.keep(name, texts)
    return texts
  }

  keep(name: string, texts: Texts): void {
    this.#forget(name)
    this.#texts.set(name, texts)
    this.#bytes += bytesOf(texts)
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= bounds.keptDirectories.most) return
      this.#forget(oldest)
    }
  }

  #forget(name: string): void {
    const texts = this.#texts.get(name)
    if (texts === undefined) return
    this.#texts.delete(name)
    this.#bytes -= bytesOf(texts)
  }
}

/** A character takes two bytes at most. */
function bytesOf({ organization, directories }: Texts): number {
  return 2 * (organization.length + directories.length)
}
