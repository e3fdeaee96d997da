import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiskStore, FileLinks, Files } from '../../../kernel/files/index.ts'
import { bounds, Secret } from '../../../kernel/index.ts'
import { newId } from '../../../kernel/schema/index.ts'
import { Spool } from '../../../kernel/uploads/index.ts'
import { type ImportRow, noCounters } from '../import.ts'
import { SourceReaders } from './source-readers.ts'

const organizationId = newId()
let folder: string
let services: { files: Files; spool: Spool }
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  folder = await mkdtemp(join(tmpdir(), 'readers-'))
  const links = new FileLinks(new Secret('a secret of the tests, long enough'), undefined)
  services = { files: new Files(new DiskStore(join(folder, 'files')), links), spool: new Spool(join(folder, 'spool')) }
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

/** An import with a file of ten rows. */
async function anImport(): Promise<ImportRow> {
  const text = `n\n${Array.from({ length: 10 }, (_, index) => `${index}\n`).join('')}`
  const about = { organizationId, purpose: 'import', name: 'rows.csv', mediaType: 'text/csv' } as const
  const chunks = async function* () {
    yield Buffer.from(text)
  }
  const { id: fileId } = await services.files.keep({ ...about, source: { chunks: chunks() } })
  const form = { source: { kind: 'csv', encoding: 'utf-8', delimiter: ',' }, headerRow: 1, header: ['n'] } as const
  const unknown = { mapping: null, columns: null, dedup_policy: null, defaults: null, failure: null, row_count: null }
  const times = { created_at: '', started_at: null, finished_at: null }
  return {
    ...{ ...unknown, ...times, form, id: newId(), entity_type: 'contacts', status: 'running', file_name: 'rows.csv' },
    ...{ size_bytes: text.length, sha256: '', file_id: fileId, dry_run: false, manages_custom_fields: false },
    ...{
      position: 0,
      counters: noCounters,
      errors: [],
      errors_file_id: null,
      rows_file_id: null,
      application_id: null,
    },
    ...{ author_type: 'application', author_uuid: null, persons_erased: false },
  }
}

const copies = () => readdir(join(folder, 'spool'))
const linesOf = async (readers: SourceReaders, row: ImportRow, most = 3) =>
  (await readers.next(row, most, organizationId, services))?.map(({ line }) => line)

it('goes on where an import is, and gives rows again that were not applied', async () => {
  const readers = new SourceReaders()
  const row = await anImport()
  expect(await linesOf(readers, row)).toEqual([2, 3, 4])
  expect(await linesOf(readers, row)).toEqual([2, 3, 4])
  expect(await linesOf(readers, { ...row, position: 4 })).toEqual([5, 6, 7])
  // Another process has done the rows between.
  expect(await linesOf(readers, { ...row, position: 9 })).toEqual([10, 11])
  expect(await linesOf(readers, { ...row, position: 11 })).toEqual([])
  expect(await copies()).toHaveLength(1)
  await readers.release(row.id)
  expect(await copies()).toEqual([])
})

it('keeps so many files open, and opens the longest unused again', async () => {
  const readers = new SourceReaders()
  const rows = await Promise.all(Array.from({ length: bounds.importReaders.most + 1 }, anImport))
  const [first, ...others] = rows
  if (first === undefined) throw new Error('there is no import')
  await linesOf(readers, first)
  for (const row of others.slice(0, -1)) await linesOf(readers, row)
  expect(await copies()).toHaveLength(bounds.importReaders.most)
  await linesOf(readers, first)
  for (const row of others.slice(-1)) await linesOf(readers, row)
  expect(await copies()).toHaveLength(bounds.importReaders.most)
  const left = await copies()
  expect(await linesOf(readers, { ...first, position: 4 })).toEqual([5, 6, 7])
  // The first one was used since, so another one was closed for the last.
  expect(await copies()).toEqual(left)
  for (const row of rows) await readers.release(row.id)
  expect(await copies()).toEqual([])
})

it('closes what nobody has read for half a minute', async () => {
  const readers = new SourceReaders()
  const row = await anImport()
  await linesOf(readers, row)
  await vi.advanceTimersByTimeAsync(29_000)
  expect(await copies()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2000)
  await vi.waitFor(async () => expect(await copies()).toEqual([]))
  expect(await linesOf(readers, { ...row, position: 4 })).toEqual([5, 6, 7])
  await readers.release(row.id)
})

it('closes a file that was dropped, and reads it no further', async () => {
  const readers = new SourceReaders()
  const row = await anImport()
  await linesOf(readers, row)
  expect(await readers.next({ ...row, position: 4, file_id: null }, 3, organizationId, services)).toBeNull()
  expect(await copies()).toEqual([])
})

it('keeps one copy of a file that two read at the same time', async () => {
  const readers = new SourceReaders()
  const row = await anImport()
  const both = await Promise.all([linesOf(readers, row), linesOf(readers, { ...row, position: 4 })])
  expect(both).toEqual([
    [2, 3, 4],
    [5, 6, 7],
  ])
  expect(await copies()).toHaveLength(1)
  expect(await linesOf(readers, { ...row, position: 7 })).toEqual([8, 9, 10])
  await readers.release(row.id)
  expect(await copies()).toEqual([])
})
