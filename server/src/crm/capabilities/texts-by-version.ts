import { bounds } from '../../kernel/index.ts'

/** What the configuration adds to the answer for one application and what its token may read, as JSON. */
export interface Texts {
  /** The version of the configuration that they were made from. */
  readonly version: string
  readonly organization: string
  readonly directories: string
}

/** Texts by name, until they are of an old version, or others were asked for more lately and there is no more room. */
export class TextsByVersion {
  /** The longest unused come first. */
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
