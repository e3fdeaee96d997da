import { openTable, type SourceRow } from '../../../kernel/documents/index.ts'
import { copyLocally, type LocalCopy } from '../../../kernel/files/index.ts'
import { bounds, type Services } from '../../../kernel/index.ts'
import type { ImportRow } from '../import.ts'

/** The file of an import, open where the last chunk ended. What was copied of a file that was dropped is not read on. */
interface OpenSource {
  readonly copy: LocalCopy
  readonly rows: AsyncGenerator<SourceRow>
  /** Rows that were read and not handled yet. */
  ahead: SourceRow[]
  timer: NodeJS.Timeout
}

const idleMilliseconds = 30_000

/**
 * Files of imports that this process keeps open between the parts of their work. A file that another process has worked on
 * meanwhile is read on to where the import is; one that is not open is read from its beginning.
 */
export class SourceReaders {
  readonly #open = new Map<string, OpenSource>()

  /** The next rows behind the position of an import, at most so many; null if its file is there no more. */
  async next(
    { id, file_id, form, position }: ImportRow,
    most: number,
    organizationId: string,
    services: Pick<Services, 'files' | 'spool'>,
  ): Promise<readonly SourceRow[] | null> {
    if (file_id === null || form === null) {
      await this.release(id)
      return null
    }
    const source = this.#take(id) ?? (await this.#openSource(organizationId, file_id, form, services))
    if (source === null) return null
    try {
      source.ahead = source.ahead.filter(({ line }) => line > position)
      while (source.ahead.length < most) {
        const { value: row, done } = await source.rows.next()
        if (done === true) break
        if (row.line > position) source.ahead.push(row)
      }
    } catch (error) {
      await close(source)
      throw error
    }
    await this.#keep(id, source)
    return source.ahead.slice(0, most)
  }

  /** Closes the file of an import that needs it no more. */
  async release(id: string): Promise<void> {
    const source = this.#open.get(id)
    this.#open.delete(id)
    if (source !== undefined) await close(source)
  }

  /** The open file. Rows stay with it until the import has passed them, so none is missing when a chunk is done again. */
  #take(id: string): OpenSource | null {
    const source = this.#open.get(id)
    if (source === undefined) return null
    this.#open.delete(id)
    clearTimeout(source.timer)
    return source
  }

  async #keep(id: string, source: OpenSource): Promise<void> {
    // Where two work on an import for a moment, each has opened the file, and one of both is enough.
    const other = this.#take(id)
    source.timer = setTimeout(() => void this.release(id).catch(() => {}), idleMilliseconds).unref()
    this.#open.set(id, source)
    if (other !== null) await close(other)
    const [oldest] = this.#open.keys()
    if (this.#open.size > bounds.importReaders.most && oldest !== undefined) await this.release(oldest)
  }

  async #openSource(
    organizationId: string,
    fileId: string,
    form: NonNullable<ImportRow['form']>,
    services: Pick<Services, 'files' | 'spool'>,
  ): Promise<OpenSource | null> {
    if (fileId === null) return null
    const copy = await copyLocally({ organizationId, purpose: 'import', id: fileId }, services)
    if (copy === null) return null
    try {
      const { rows } = await openTable(copy.path, form.source, form.headerRow)
      return { copy, rows, ahead: [], timer: setTimeout(() => {}, 0) }
    } catch (error) {
      await copy.remove()
      throw error
    }
  }
}

async function close({ copy, rows, timer }: OpenSource): Promise<void> {
  clearTimeout(timer)
  await rows.return(undefined)
  await copy.remove()
}
