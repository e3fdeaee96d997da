import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceRow } from '../../../kernel/documents/index.ts'
import { copyLocally } from '../../../kernel/files/index.ts'
import { bounds, type Services, type WhenGone } from '../../../kernel/index.ts'
import { sandboxes } from '../../../kernel/sandbox/index.ts'
import { sameJson } from '../../../kernel/schema/index.ts'
import type { ImportRow, KnownForm } from '../import.ts'
import { writeSourceRows } from '../reading/read-source.ts'
import { RowsFile } from '../reading/rows-file.ts'

/** The rows of an import on the disk of this process. Once the file was dropped, its rows are not read any further. */
interface Kept {
  readonly organizationId: string
  readonly folder: string
  /** How the file was read. After a dry run it may be read otherwise. */
  readonly form: KnownForm
  readonly rows: RowsFile
  readonly bytes: number
  timer: NodeJS.Timeout
}

interface Surroundings {
  readonly organizationId: string
  readonly services: Pick<Services, 'files' | 'spool'>
  readonly whenGone: WhenGone
}

const idleMilliseconds = 60_000

/**
 * The rows of imports that this process works on. A child process reads the file of an import once and writes its rows to disk, so nothing
 * is held in memory between two chunks. The rows stay on disk until the import ends, until they have not been read for a minute, or until
 * other imports need the space; then the file is read again.
 */
export class RowsOnDisk {
  /** By import; the least recently used first. */
  readonly #kept = new Map<string, Kept>()

  /**
   * The next rows after the position of an import, at most `most`; null if its file was removed. Throws `UnreadableFile` with the reason if
   * the file cannot be read, and `Overloaded` while other files are read.
   */
  async next(
    { id, file_id: fileId, form, position }: ImportRow,
    most: number,
    surroundings: Surroundings,
  ): Promise<readonly SourceRow[] | null> {
    if (fileId === null || form === null) {
      await this.release(id)
      return null
    }
    const held = this.#kept.get(id)
    if (held !== undefined && !sameJson(held.form, form)) await this.release(id)
    const kept = this.#take(id) ?? (await this.#write(id, fileId, form, surroundings))
    if (kept === null) return null
    try {
      const rows = await kept.rows.next(position, most)
      await this.#keep(id, kept)
      return rows
    } catch (error) {
      await remove(kept)
      throw error
    }
  }

  /** Removes the rows of a finished import. */
  async release(id: string): Promise<void> {
    const kept = this.#take(id)
    if (kept !== null) await remove(kept)
  }

  #take(id: string): Kept | null {
    const kept = this.#kept.get(id) ?? null
    this.#kept.delete(id)
    clearTimeout(kept?.timer)
    return kept
  }

  async #keep(id: string, kept: Kept): Promise<void> {
    // If two workers process an import for a moment, each has had the file read; one copy is enough.
    await this.release(id)
    kept.timer = setTimeout(() => void this.release(id).catch(() => {}), idleMilliseconds).unref()
    this.#kept.set(id, kept)
    const { organizationId } = kept
    const own = (each: Kept) => each.organizationId === organizationId
    await this.#makeRoom(bounds.organizationImportRows.most, own)
    await this.#makeRoom(bounds.processImportRows.most, () => true)
  }

  /** Removes the least recently used rows, but never the last ones, until their size is within the limit. */
  async #makeRoom(most: number, isMeant: (kept: Kept) => boolean): Promise<void> {
    const meant = [...this.#kept].filter(([, kept]) => isMeant(kept))
    let bytes = meant.reduce((sum, [, kept]) => sum + kept.bytes, 0)
    for (const [id, kept] of meant.slice(0, -1)) {
      if (bytes <= most) return
      bytes -= kept.bytes
      await this.release(id)
    }
  }

  /** Reads the file and writes its rows; null if the file was removed. */
  #write(id: string, fileId: string, form: KnownForm, surroundings: Surroundings): Promise<Kept | null> {
    const { organizationId, services, whenGone } = surroundings
    return sandboxes.run('jobs', { organizationId, spool: services.spool, whenGone }, async read => {
      // Another attempt may have read it meanwhile.
      const kept = this.#take(id)
      if (kept !== null) return kept
      const copy = await copyLocally({ organizationId, purpose: 'import', id: fileId }, services)
      if (copy === null) return null
      const folder = await services.spool.open()
      try {
        const path = join(folder, 'rows')
        const bytes = await writeSourceRows(copy.path, form, path, read)
        return { organizationId, folder, form, rows: new RowsFile(path), bytes, timer: setTimeout(() => {}, 0) }
      } catch (error) {
        await rm(folder, { recursive: true, force: true })
        throw error
      } finally {
        await copy.remove()
      }
    })
  }
}

async function remove({ folder, timer }: Kept): Promise<void> {
  clearTimeout(timer)
  await rm(folder, { recursive: true, force: true })
}
