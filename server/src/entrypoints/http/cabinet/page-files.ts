import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { packageFolder } from '../../../kernel/product/index.ts'
import { accepts } from '../negotiation.ts'

/** Where the build writes the pages. Programs that run from their sources take those of the last build. */
const usualDirectory = new URL('dist/cabinet/', packageFolder)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Best first. */
const codings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

/** The name of a build: all its files are named by their content, and the first page names them. */
const nameOf = (html: Buffer) => createHash('sha256').update(html).digest('base64url')

let ownBuild: string | null | undefined

/** The name of the build that this server has pages of, read once; null before the first build. */
export function pagesBuild(): string | null {
  if (ownBuild === undefined) {
    try {
      ownBuild = nameOf(readFileSync(new URL('index.html', usualDirectory)))
    } catch {
      ownBuild = null
    }
  }
  return ownBuild
}

/** The first page, which loads all others: kept in memory, for it has about a kilobyte. */
interface Entry {
  readonly html: Buffer
  readonly tag: string
}

/** A file to send, opened. */
interface Opened {
  readonly file: FileHandle
  readonly size: number
  readonly type: string
  readonly coding: (typeof codings)[number]['name'] | null
}

/**
 * The files of the pages. Only names that the build wrote can be opened: they are looked up in its list, so that no name leads to another
 * folder. The list and the first page are read once; files are read while they are sent.
 */
export class PageFiles {
  readonly #directory: URL
  #entry: Promise<Entry | null> | undefined
  #names: Promise<ReadonlySet<string>> | undefined

  constructor(directory = usualDirectory) {
    this.#directory = directory
  }

  /** The first page; null before the first build. */
  async entry(): Promise<Entry | null> {
    this.#entry ??= readFile(new URL('index.html', this.#directory)).then(
      html => ({ html, tag: `"${nameOf(html)}"` }),
      () => null,
    )
    const entry = await this.#entry
    if (entry === null) this.#entry = undefined
    return entry
  }

  /** Opens a file in the form that the client takes. Null for a name that is no file of the pages. Who gets it closes it. */
  async open(name: string, acceptEncoding: string | undefined): Promise<Opened | null> {
    this.#names ??= readdir(new URL('assets/', this.#directory)).then(names => new Set(names))
    const names = await this.#names.catch(() => null)
    if (names === null) this.#names = undefined
    const type = types[extname(name)]
    if (names?.has(name) !== true || type === undefined) return null
    const coding = codings.find(each => names.has(name + each.ending) && accepts(each.name, acceptEncoding))
    const file = await open(new URL(`assets/${encodeURIComponent(name + (coding?.ending ?? ''))}`, this.#directory))
    const { size } = await file.stat()
    return { file, size, type, coding: coding?.name ?? null }
  }
}
