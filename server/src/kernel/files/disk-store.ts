import { randomUUID } from 'node:crypto'
import { constants, copyFile, type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { assertKey } from './file-key.ts'
import {
  type ByteRange,
  FileMissing,
  type FileSource,
  type FileStore,
  FileStoreFailure,
  type StoredFile,
} from './file-store.ts'
import { removeLeftBehind } from './left-behind.ts'
import { fromSource, sourceError } from './source.ts'

const portionBytes = 32 * 1024 * 1024

/** Files in a folder of this machine that only the user of this process may read. */
export class DiskStore implements FileStore {
  readonly #folder: string
  /** Incomplete files. The folder is on the same volume, so that a complete file is moved by a rename. */
  readonly #drafts: string
  #prepared: Promise<void> | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#drafts = join(folder, 'partial')
  }

  put(key: string, source: FileSource): Promise<void> {
    assertKey(key)
    return explaining(async () => {
      await this.#prepare()
      const draft = join(this.#drafts, randomUUID())
      const path = join(this.#folder, key)
      try {
        await write(draft, source)
        await makeFolders(this.#folder, dirname(path))
        await rename(draft, path)
        await syncFolder(dirname(path))
      } finally {
        await rm(draft, { force: true })
      }
    })
  }

  async *get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    assertKey(key)
    const file = await explaining(() => open(join(this.#folder, key)), key)
    const stream = file.createReadStream(range ?? {})
    try {
      yield* stream
    } catch (error) {
      throw failure(error, key)
    } finally {
      // Destroying the stream closes the file.
      stream.destroy()
    }
  }

  async stat(key: string): Promise<StoredFile | null> {
    assertKey(key)
    const found = await explaining(() => unlessMissing(stat(join(this.#folder, key))))
    return found === null ? null : { key, size: found.size, storedAt: found.mtime }
  }

  async *list(prefix: string): AsyncGenerator<StoredFile> {
    const [organizations, purposes] = prefix.split('/').slice(0, -1)
    const within = async (folder: string, given: string | undefined) =>
      given === undefined ? foldersIn(join(this.#folder, folder)) : [given]
    for (const organization of await within('', organizations)) {
      if (organization === 'partial') continue
      for (const purpose of await within(organization, purposes)) yield* this.#listFolder(`${organization}/${purpose}`)
    }
  }

  remove(key: string): Promise<void> {
    assertKey(key)
    return explaining(() => rm(join(this.#folder, key), { force: true }))
  }

  removeDrafts(): Promise<number> {
    return explaining(() => removeLeftBehind(this.#drafts))
  }

  async *#listFolder(folder: string): AsyncGenerator<StoredFile> {
    const names = await explaining(() => unlessMissing(opendir(join(this.#folder, folder))))
    for await (const { name } of names ?? []) {
      // The file may have been removed after the folder was read.
      const found = await this.stat(`${folder}/${name}`)
      if (found !== null) yield found
    }
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#makeDrafts().catch(error => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  async #makeDrafts(): Promise<void> {
    await mkdir(this.#drafts, { recursive: true, mode: 0o700 })
    await removeLeftBehind(this.#drafts)
  }
}

/** Writes a complete file and flushes it to the disk. */
async function write(path: string, source: FileSource): Promise<void> {
  if ('path' in source) await copyFile(source.path, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  const file = await open(path, 'path' in source ? 'r+' : 'wx', 0o600)
  try {
    if ('path' in source) await file.chmod(0o600)
    else await writeChunks(file, source.chunks)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes the chunks as they arrive. Flushes in portions, so that the end of a long file does not wait for the whole file. */
async function writeChunks(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let waiting = 0
  for await (const chunk of fromSource(chunks)) {
    await file.writeFile(chunk)
    waiting += chunk.length
    if (waiting < portionBytes) continue
    await file.datasync()
    waiting = 0
  }
}

/** Creates the folders down to this one. A new folder survives a crash once its parent folder was flushed. */
async function makeFolders(top: string, folder: string): Promise<void> {
  if (folder === top || (await unlessMissing(stat(folder))) !== null) return
  await makeFolders(top, dirname(folder))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await syncFolder(dirname(folder))
}

async function syncFolder(folder: string): Promise<void> {
  const file = await open(folder)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await explaining(() => unlessMissing(readdir(folder, { withFileTypes: true })))
  return (entries ?? []).filter(entry => entry.isDirectory()).map(({ name }) => name)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function unlessMissing<Result>(work: Promise<Result>): Promise<Result | null> {
  return work.catch(error => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
}

async function explaining<Result>(work: () => Promise<Result>, key?: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failure(error, key)
  }
}

/** Translates an error. An error of the bytes that were being stored is returned unchanged. */
function failure(error: unknown, key?: string): unknown {
  const ofSource = sourceError(error)
  if (ofSource !== null) return ofSource.error
  if (key !== undefined && codeOf(error) === 'ENOENT') return new FileMissing(key)
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? new FileStoreFailure(`the folder of files: ${error.message}`, { cause: error }) : error
}
