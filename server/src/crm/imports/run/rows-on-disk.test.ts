import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { setBound } from '../../../../../test/support/set-bound.ts'
import { until } from '../../../../../test/support/waiting.ts'
import { DiskStore, FileLinks, Files } from '../../../kernel/files/index.ts'
import { bounds, Overloaded, Secret } from '../../../kernel/index.ts'
import { newId } from '../../../kernel/schema/index.ts'
import { Spool } from '../../../kernel/uploads/index.ts'
import { type ImportRow, noCounters } from '../import.ts'
import { RowsOnDisk } from './rows-on-disk.ts'

let organizationId: string
let folder: string
let services: { files: Files; spool: Spool }
beforeEach(async () => {
  organizationId = newId()
  folder = await mkdtemp(join(tmpdir(), 'readers-'))
  const links = new FileLinks(new Secret('a secret of the tests, long enough'), undefined)
  services = { files: new Files(new DiskStore(join(folder, 'files')), links), spool: new Spool(join(folder, 'spool')) }
})
afterEach(async () => {
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
    ...unknown,
    ...times,
    form,
    id: newId(),
    entity_type: 'contacts',
    status: 'running',
    file_name: 'rows.csv',
    size_bytes: text.length,
    sha256: '',
    file_id: fileId,
    dry_run: false,
    options: null,
    manages_custom_fields: false,
    position: 0,
    counters: noCounters,
    created_companies: 0,
    errors: [],
    errors_file_id: null,
    rows_file_id: null,
    application_id: null,
    token_id: null,
    started_by: null,
    author_type: 'application',
    author_uuid: null,
    persons_erased: false,
    undo: null,
  }
}

const surroundings = () => ({ organizationId, services, whenGone: () => () => {} })

/** The files of rows that are kept. */
async function kept(): Promise<string[]> {
  const names = await readdir(join(folder, 'spool'), { recursive: true })
  return names.filter(name => name.endsWith('/rows'))
}
/** The numbers of the next rows. A job comes back where other files are read, and so does this. */
const linesOf = (readers: RowsOnDisk, row: ImportRow, most = 3) =>
  until('the turn of the import', async () => {
    try {
      return (await readers.next(row, most, surroundings()))?.map(({ line }) => line)
    } catch (error) {
      if (error instanceof Overloaded) return false
      throw error
    }
  })

it('goes on at the position of the import, and returns rows again that were not applied', async () => {
  const readers = new RowsOnDisk()
  const row = await anImport()
  expect(await linesOf(readers, row)).toEqual([2, 3, 4])
  expect(await linesOf(readers, row)).toEqual([2, 3, 4])
  expect(await linesOf(readers, { ...row, position: 4 })).toEqual([5, 6, 7])
  // Another process has done the rows between.
  expect(await linesOf(readers, { ...row, position: 9 })).toEqual([10, 11])
  expect(await linesOf(readers, { ...row, position: 11 })).toEqual([])
  expect(await kept()).toHaveLength(1)
  await readers.release(row.id)
  expect(await kept()).toEqual([])
})

it('keeps rows up to a bound of bytes, and reads the least recently used file again', async () => {
  const rowBytes = '[2,["0"]]\n'.length
  setBound(bounds.organizationImportRows, 2 * 10 * (rowBytes + 1))
  const readers = new RowsOnDisk()
  const [first, second, third] = [await anImport(), await anImport(), await anImport()]
  for (const row of [first, second, first]) await linesOf(readers, row)
  const before = await kept()
  expect(before).toHaveLength(2)
  await linesOf(readers, third)
  const left = await kept()
  expect(left).toHaveLength(2)
  expect(await linesOf(readers, { ...first, position: 4 })).toEqual([5, 6, 7])
  expect(await kept()).toEqual(left)
  expect(await linesOf(readers, { ...second, position: 4 })).toEqual([5, 6, 7])
  expect(await kept()).not.toEqual(left)
  for (const row of [first, second, third]) await readers.release(row.id)
  expect(await kept()).toEqual([])
})

it('returns rows up to a bound of bytes at a time, and at least one', async () => {
  const readers = new RowsOnDisk()
  const row = await anImport()
  setBound(bounds.importChunk, 2 * '[2,["0"]]'.length)
  expect(await linesOf(readers, row)).toEqual([2, 3])
  setBound(bounds.importChunk, 1)
  expect(await linesOf(readers, { ...row, position: 3 })).toEqual([4])
  await readers.release(row.id)
})

it('removes rows that nobody has read for a minute', async () => {
  const readers = new RowsOnDisk()
  const row = await anImport()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await linesOf(readers, row)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(await kept()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2000)
  vi.useRealTimers()
  await expect.poll(kept).toEqual([])
  expect(await linesOf(readers, { ...row, position: 4 })).toEqual([5, 6, 7])
  await readers.release(row.id)
})

it('closes a file that was dropped, and reads it no further', async () => {
  const readers = new RowsOnDisk()
  const row = await anImport()
  await linesOf(readers, row)
  expect(await readers.next({ ...row, position: 4, file_id: null }, 3, surroundings())).toBeNull()
  expect(await kept()).toEqual([])
})

it('keeps one copy of a file that two read at the same time', async () => {
  const readers = new RowsOnDisk()
  const row = await anImport()
  const both = await Promise.all([linesOf(readers, row), linesOf(readers, { ...row, position: 4 })])
  expect(both).toEqual([
    [2, 3, 4],
    [5, 6, 7],
  ])
  expect(await kept()).toHaveLength(1)
  expect(await linesOf(readers, { ...row, position: 7 })).toEqual([8, 9, 10])
  await readers.release(row.id)
  expect(await kept()).toEqual([])
})
