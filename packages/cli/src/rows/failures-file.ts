import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
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
 * file that was read, so it can be mended and sent again. Only its owner can read it. There is none if no row was refused.
 */
export class FailuresFile {
  readonly #path: string
  readonly #stream: WriteStream
  readonly #source: Source
  readonly #columns: readonly string[]

  #isEmpty = true

  private constructor(path: string, stream: WriteStream, source: Source, columns: readonly string[]) {
    this.#path = path
    this.#stream = stream
    this.#source = source
    this.#columns = columns.filter(column => !failureColumns.some(name => name === column))
  }

  /** Begins it. Throws UsageError if there is such a file, whose rows may not have been sent yet, or it cannot be written. */
  static async create(path: string, source: Source, columns: readonly string[]): Promise<FailuresFile> {
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    try {
      await once(stream, 'open')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
        throw new UsageError(`${path} exists, and --failures replaces no file: name another, or move that one away`)
      throw new UsageError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
    }
    // It is told by the next write, or by `end`.
    stream.on('error', () => {})
    const file = new FailuresFile(path, stream, source, columns)
    if (source.format === 'csv') await file.#write([...failureColumns, ...file.#columns])
    return file
  }

  async add({ line, cells, surplus }: SourceRow, { code, message }: RowRefusal): Promise<void> {
    this.#isEmpty = false
    const told = [line, code, message]
    if (this.#source.format === 'csv')
      return this.#write([...told, ...this.#columns.map(column => cells.get(column)), ...surplus])
    const members = [...failureColumns.map((name, index) => [name, told[index]] as const), ...this.#own(cells)]
    return this.#put(`${JSON.stringify(Object.fromEntries(members))}\n`)
  }

  async end(): Promise<void> {
    this.#stream.end()
    await finished(this.#stream)
    if (this.#isEmpty) await rm(this.#path)
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
