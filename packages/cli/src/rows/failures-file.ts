import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { UsageError } from '../failure.ts'
import { failureColumns } from './column-map.rules.ts'
import type { Source, SourceRow } from './source-row.ts'

/** Why a row was refused. */
export interface RowRefusal {
  readonly code: string
  readonly message: string
}

/**
 * A file of the rows that were refused, each as it was, behind the number of its line and what was wrong with it. It has the form of the
 * file that was read, so it can be mended and sent again. Only its owner can read it.
 */
export class FailuresFile {
  readonly #stream: WriteStream
  readonly #source: Source
  readonly #columns: readonly string[]

  private constructor(stream: WriteStream, source: Source, columns: readonly string[]) {
    this.#stream = stream
    this.#source = source
    this.#columns = columns.filter(column => !failureColumns.some(name => name === column))
  }

  /** Begins it anew. Throws UsageError for the file that is read, and if it cannot be written. */
  static async create(path: string, source: Source, columns: readonly string[]): Promise<FailuresFile> {
    const [one, other] = await Promise.all([path, source.file].map(each => realpath(each).catch(() => each)))
    if (one === other) throw new UsageError(`--failures names the file that is read: ${path}`)
    const stream = createWriteStream(path, { mode: 0o600 })
    try {
      await once(stream, 'open')
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
    }
    // It is told by the next write, or by `end`.
    stream.on('error', () => {})
    const file = new FailuresFile(stream, source, columns)
    if (source.format === 'csv') await file.#write([...failureColumns, ...file.#columns])
    return file
  }

  async add({ line, cells, surplus }: SourceRow, { code, message }: RowRefusal): Promise<void> {
    const told = [line, code, message]
    if (this.#source.format === 'csv')
      return this.#write([...told, ...this.#columns.map(column => cells.get(column)), ...surplus])
    const members = [...failureColumns.map((name, index) => [name, told[index]] as const), ...this.#own(cells)]
    return this.#put(`${JSON.stringify(Object.fromEntries(members))}\n`)
  }

  async end(): Promise<void> {
    this.#stream.end()
    await finished(this.#stream)
  }

  #own(cells: ReadonlyMap<string, unknown>): (readonly [string, unknown])[] {
    return [...cells].filter(([column]) => !failureColumns.some(name => name === column))
  }

  #write(cells: readonly unknown[]): Promise<void> {
    const { delimiter } = this.#source
    const texts = cells.map(cell => {
      const text = String(cell ?? '')
      return text.includes(delimiter) || /["\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    return this.#put(`${texts.join(delimiter)}\n`)
  }

  async #put(text: string): Promise<void> {
    if (this.#stream.errored !== null) throw this.#stream.errored
    if (!this.#stream.write(text)) await once(this.#stream, 'drain')
  }
}
