import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'

/** The contents of an archive by entry name. */
export type Entries = Map<string, Buffer>

export async function entriesOf(path: string): Promise<Entries> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const entries: Entries = new Map()
  try {
    for await (const entry of zip.eachEntry()) {
      const chunks: Buffer[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
      entries.set(entry.fileName, Buffer.concat(chunks))
    }
  } finally {
    zip.close()
  }
  return entries
}

export async function writeEntries(path: string, entries: Iterable<readonly [string, Buffer]>): Promise<void> {
  const zip = new ZipFile()
  for (const [name, content] of entries) zip.addBuffer(content, name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** The manifest of an archive. */
export function manifestOf(entries: Entries): JsonObject {
  const manifest: unknown = JSON.parse(String(entries.get('manifest.json')))
  if (!isObject(manifest)) throw new Error('the manifest is not an object')
  return manifest
}

/** The manifest with changed members, or with a changed table. */
export function changedManifest(entries: Entries, change: (manifest: JsonObject) => JsonObject): Entries {
  return new Map([...entries, ['manifest.json', Buffer.from(JSON.stringify(change(manifestOf(entries))))]])
}

/** Replaces the rows of a table, and adapts the manifest. */
export function changedRows(entries: Entries, table: string, change: (rows: string) => string): Entries {
  const content = Buffer.from(change(String(entries.get(`tables/${table}`))))
  const facts = {
    rows: content.filter(byte => byte === 0x0a).length,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }
  const others = new Map([...entries, [`tables/${table}`, content] as const])
  return changedManifest(others, manifest => ({ ...manifest, tables: tablesWith(manifest, table, facts) }))
}

/** The tables of a manifest, with one of them changed. */
export function tablesWith({ tables }: JsonObject, name: string, members: JsonObject): JsonObject[] {
  if (!Array.isArray(tables)) throw new Error('the manifest has no tables')
  return tables.filter(isObject).map(table => (table.name === name ? { ...table, ...members } : table))
}

/** How many rows each table has, as the manifest says. */
export function rowsIn(entries: Entries): Record<string, number> {
  const { tables } = manifestOf(entries)
  if (!Array.isArray(tables)) throw new Error('the manifest has no tables')
  return Object.fromEntries(tables.filter(isObject).map(({ name, rows }) => [String(name), Number(rows)]))
}

/** All entries but the manifest, which contains the time. */
export function contentIn(entries: Entries): Record<string, string> {
  return Object.fromEntries(
    [...entries].filter(([name]) => name !== 'manifest.json').map(([name, bytes]) => [name, bytes.toString('latin1')]),
  )
}
