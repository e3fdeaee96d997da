import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { archive, aWorkbook, textRow, workbookParts } from '../../../../test/conformance/support/workbooks.ts'
import { type Bound, bounds } from '../limits/index.ts'
import { openTable } from './data-rows.ts'
import { findForm } from './source-form.ts'
import { UnreadableFile } from './unreadable-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reading-bounds-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The lines and problems of a file's rows, or why it cannot be read. */
async function read(content: string | Buffer): Promise<unknown[] | string> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  const told: unknown[] = []
  try {
    const { rows } = await openTable(path, await findForm(path, {}), 1)
    for await (const { line, problems } of rows) told.push([line, ...problems.map(({ code }) => code)])
    return told
  } catch (error) {
    return error instanceof UnreadableFile ? error.reason : `${error}`
  }
}

/** The first cells of the rows of a workbook. */
async function firstCells(workbook: Parameters<typeof aWorkbook>[0]): Promise<unknown[]> {
  const path = join(folder, 'workbook')
  await writeFile(path, aWorkbook(workbook))
  const { rows } = await openTable(path, await findForm(path, {}), 1)
  const found: unknown[] = []
  for await (const { cells } of rows) found.push(cells[0])
  return found
}

/** Lowers a bound until the test has ended. */
function lower(bound: Bound, most: number): void {
  const before = bound.most
  Reflect.set(bound, 'most', most)
  onTestFinished(() => void Reflect.set(bound, 'most', before))
}

const lines = (text: string, count: number) => `${text}\n`.repeat(count)

it('a reader looks for the end of a quote in a bounded number of characters, and refuses the row beyond', async () => {
  const text = `a\n"open\n${lines('yyy', 3)}"\nlast\n`
  expect(await read(text)).toEqual([[2], [7]])
  lower(bounds.importRow, 10)
  expect(await read(text)).toEqual([[2, 'row_parse_error'], [3], [4], [5], [6, 'row_parse_error'], [7]])
})

it.each(['yyy', 'y,y'])(
  'a row has a bounded number of characters, here of %s, and the file is refused beyond',
  async piece => {
    const text = (characters: number) => `a\n${piece.repeat(characters / piece.length)}\nlast\n`
    lower(bounds.importRow, 120)
    lower(bounds.importColumns, 1000)
    expect(await read(text(120))).toHaveLength(2)
    expect(await read(text(120 + piece.length))).toBe('too_large')
    // Without a line break, it is read no further than it may be long.
    expect(await read(`a\n${piece.repeat(1_000_000)}`)).toBe('too_large')
  },
)

it('a file has a bounded number of rows with broken quotes, and is refused as a whole beyond', async () => {
  lower(bounds.importBrokenRows, 3)
  expect(await read(`a\n${lines('"x"y', 3)}`)).toHaveLength(3)
  expect(await read(`a\n${lines('"x"y', 4)}`)).toBe('broken_quotes')
})

it('a reader looks for the ends of all quotes in a bounded number of characters', async () => {
  lower(bounds.importRow, 100)
  lower(bounds.importLookAhead, 1000)
  const open = `"open\n${lines('yyy', 40)}`
  expect(await read(`a\n${open.repeat(4)}`)).toHaveLength(4 * 41)
  expect(await read(`a\n${open.repeat(20)}`)).toBe('broken_quotes')
})

it.each([
  ['the list of sheets', bounds.workbookHead, { rows: [textRow(1, 'a')], head: ' '.repeat(5000) }],
  ['the shared texts', bounds.workbookTexts, { rows: [textRow(1, 'a')], texts: ['x'.repeat(5000)] }],
] as const)('%s of a workbook have a bounded size when they are unpacked', async (_, bound, workbook) => {
  expect(await read(aWorkbook(workbook))).toEqual([])
  lower(bound, 4000)
  expect(await read(aWorkbook(workbook))).toBe('too_large')
})

it.each([
  ['zeros', '0'.repeat(255), '7'.padStart(255, '0')],
  ['more zeros than Excel takes', '0'.repeat(256), '7'],
  ['brackets without an end', `yyyy${'['.repeat(900_000)}`, '7'],
])('a number format has at most 255 characters, and is ignored beyond: %s', async (_, format, shown) => {
  const rows = [textRow(1, 'a'), '<row r="2"><c r="A2" s="1"><v>7</v></c></row>']
  expect(await firstCells({ rows, formats: [format] })).toEqual([shown])
})

it('a text that many cells share is kept only up to a length that is too long for one', async () => {
  lower(bounds.importCell, 100)
  const rows = [textRow(1, 'a'), '<row r="2"><c r="A2" t="s"><v>0</v></c></row>']
  expect(await firstCells({ rows, texts: ['x'.repeat(5000)] })).toEqual(['x'.repeat(101)])
  expect(await read(aWorkbook({ rows, texts: ['x'.repeat(5000)] }))).toEqual([[2, 'too_long']])
})

it('a cell does not grow far beyond its bound, however many pieces its text has', async () => {
  lower(bounds.importCell, 100)
  const pieces = `<r><t>${'x'.repeat(100)}</t></r>`.repeat(1000)
  const rows = [textRow(1, 'a'), `<row r="2"><c r="A2" t="inlineStr"><is>${pieces}</is></c></row>`]
  expect(await firstCells({ rows })).toEqual(['x'.repeat(800)])
  expect(await read(aWorkbook({ rows }))).toEqual([[2, 'too_long']])
  const ends = [textRow(1, 'a'), textRow(2, `b${'_x000D_'.repeat(98)}b`)]
  expect(await firstCells({ rows: ends })).toEqual([`b${'\r'.repeat(98)}b`])
})

it('a workbook may list as many sheets and parts as its head has room for', async () => {
  const head = `<sheets>${'<sheet id="n"/>'.repeat(130_000)}</sheets>`
  const more = `${'<Relationship Id="m"/>'.repeat(150_000)}</Relationships>`
  const parts = workbookParts({ rows: [textRow(1, 'a'), textRow(2, 'b')], head }).map(part =>
    part.name.endsWith('workbook.xml.rels')
      ? { ...part, content: String(part.content).replace('</Relationships>', more) }
      : part,
  )
  expect(await read(archive(parts))).toEqual([[2]])
})
