import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archive, aWorkbook, textRow, workbookParts } from '../../../../test/conformance/support/workbooks.ts'
import { bounds } from '../limits/bounds.ts'
import { openTable } from './data-rows.ts'
import { findForm, sourceRows, type WantedForm } from './source-form.ts'
import type { SourceRow } from './source-row.ts'
import { UnreadableFile } from './unreadable-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reading-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(content: string | Buffer): Promise<string> {
  const path = join(folder, String(Math.random()))
  await writeFile(path, content)
  return path
}

async function rowsIn(content: string | Buffer, wanted: WantedForm = {}): Promise<SourceRow[]> {
  const path = await file(content)
  const rows: SourceRow[] = []
  for await (const row of sourceRows(path, await findForm(path, wanted))) rows.push(row)
  return rows
}

const cellsIn = async (content: string | Buffer, wanted: WantedForm = {}) =>
  (await rowsIn(content, wanted)).map(({ cells }) => cells)

/** Lines, cells and codes of problems. */
const told = (rows: readonly SourceRow[]) =>
  rows.map(({ line, cells, problems }) =>
    problems.length > 0 ? [line, ...problems.map(({ code }) => code)] : [line, ...cells],
  )

async function reasonOf(content: string | Buffer, wanted: WantedForm = {}): Promise<string> {
  try {
    const path = await file(content)
    const { rows } = await openTable(path, await findForm(path, wanted), 1)
    for await (const _ of rows);
    return 'readable'
  } catch (error) {
    return error instanceof UnreadableFile ? error.reason : `${error}`
  }
}

describe('a text table', () => {
  it('has rows of cells, each with the line on which it begins', async () => {
    expect(told(await rowsIn('a,b\r\n"1,5","x ""y"""\n\n"two\nlines",3\r4,5'))).toEqual([
      [1, 'a', 'b'],
      [2, '1,5', 'x "y"'],
      [4, 'two\nlines', '3'],
      [6, '4', '5'],
    ])
  })

  it.each([
    ['a;b\n1,5;2\n', ';'],
    ['a\tb\n1\t2\n', '\t'],
    ['a|b\n1|2\n', '|'],
    ['a,b\n"x;y;z",2\n', ','],
    ['sep=;\na;b\n1;2\n', ';'],
    ['sep=;\ra,b,c;d\r', ';'],
    ['a;b\r1,5,5;2\r', ';'],
    ['a\n1\n', ','],
  ])('%j is divided by %j', async (text, delimiter) => {
    const path = await file(text)
    expect(await findForm(path, {})).toMatchObject({ kind: 'csv', delimiter })
  })

  it.each([
    ['utf-8', Buffer.from('\uFEFFИмя,Ort\nАнна,Köln\n')],
    ['utf-8', Buffer.from('Имя,Ort\nАнна,Köln\n')],
    ['utf-16le', Buffer.from('\uFEFFИмя,Ort\nАнна,Köln\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFИмя,Ort\nАнна,Köln\n', 'utf16le').swap16()],
    ['utf-16le', Buffer.from('Name,Ort\nAnna,Koeln\n', 'utf16le')],
    ['windows-1251', Buffer.from('c8ecff2cc3eef0eee40ac0edede02ccceef1eae2e00a', 'hex')],
    ['windows-1252', Buffer.from('Name,Ort\nAnna,K\u00f6ln\n', 'latin1')],
  ])('may be in %s', async (encoding, bytes) => {
    const path = await file(bytes)
    expect(await findForm(path, {})).toMatchObject({ encoding })
    const [, row] = await cellsIn(bytes)
    expect([
      ['Анна', 'Köln'],
      ['Anna', 'Koeln'],
      ['Анна', 'Москва'],
      ['Anna', 'Köln'],
    ]).toContainEqual(row)
  })

  it('loses one row to a broken quote, and no other, and says which cell is broken', async () => {
    const rows = await rowsIn('a,b\n1,2\n"open,3\n4,5\n5" pipe,6\n6,"x"y\n8,9\n')
    expect(told(rows)).toEqual([
      [1, 'a', 'b'],
      [2, '1', '2'],
      [3, 'row_parse_error'],
      [4, '4', '5'],
      [5, '5" pipe', '6'],
      [6, 'row_parse_error'],
      [7, '8', '9'],
    ])
    expect(rows.flatMap(({ problems }) => problems.map(({ message }) => message))).toEqual([
      'A quote opens cell 1 of the row and nothing closes it',
      'Text stands behind the quote that closes cell 2 of the row: double the quotes inside of it',
    ])
  })

  it('takes a quote that is not the first character of a cell for a character like others', async () => {
    const text = `name,height,note\nAnna,6' 1",tall\n"Bob ""B""",5' 11","says ""6' 1"", ""x"" "\nC"d"e,"a,b",""\n`
    expect(await cellsIn(text)).toEqual([
      ['name', 'height', 'note'],
      ['Anna', `6' 1"`, 'tall'],
      ['Bob "B"', `5' 11"`, `says "6' 1", "x" `],
      ['C"d"e', 'a,b', ''],
    ])
  })

  it('reads heights in inches, row after row, and finds what divides its cells', async () => {
    const text = `name;height;weight\n${`Anna, Ms;6' 1";80,5\n`.repeat(3000)}`
    const rows = await cellsIn(text)
    expect([rows.length, rows.at(-1)]).toEqual([3001, ['Anna, Ms', `6' 1"`, '80,5']])
  })

  it('takes cells missing at the end for empty ones, and tells what is too many, too long or no text', async () => {
    const long = 'x'.repeat(bounds.importCell.most + 1)
    const path = await file(`a,b\n1\n1,2,3\n1,2,,\n${long},2\nq\uFFFD,2\n`)
    const { header, rows } = await openTable(path, await findForm(path, {}), 1)
    const found: SourceRow[] = []
    for await (const row of rows) found.push(row)
    expect(header).toEqual(['a', 'b'])
    expect(found.map(({ problems }) => problems.map(({ code, column }) => [code, column]))).toEqual([
      [],
      [['column_count', null]],
      [],
      [['too_long', 0]],
      [['row_parse_error', 0]],
    ])
  })

  it('gives the same rows in pieces of any size', async () => {
    const text = Array.from({ length: 9000 }, (_, index) => `"row ${index}\r\nnext",ü${index}\r\n`).join('')
    const rows = await rowsIn(text)
    expect(rows).toHaveLength(9000)
    expect(rows.at(-1)).toEqual({ line: 17_999, cells: ['row 8999\r\nnext', 'ü8999'], problems: [] })
  })
})

describe('a workbook', () => {
  it('has texts, numbers without exponents, days by their style, and leading zeros', async () => {
    const content = aWorkbook({
      texts: ['Anna &amp; Co', ' spaced _x0041_ '],
      formats: ['yyyy\\-mm\\-dd', 'dd.mm.yyyy hh:mm', '00000', '0.00 &quot;days&quot;', '[Red]#,##0'],
      rows: [
        '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c></row>',
        '<row r="5"><c r="A5"><v>7.9161234567E10</v></c><c r="B5" s="1"><v>45292</v></c><c r="C5" s="2"><v>45292.5</v></c></row>',
        '<row r="6"><c r="A6" s="3"><v>42</v></c><c r="B6" s="4"><v>0.30000000000000004</v></c><c r="C6" s="5"><v>12345678901234567890</v></c></row>',
        '<row r="7"><c r="A7" t="b"><v>1</v></c><c r="B7" t="str"><f>A1</f><v>=1+1</v></c><c r="C7"><f>1+1</f><v>2</v></c></row>',
      ],
    })
    expect(told(await rowsIn(content))).toEqual([
      [3, 'Anna & Co', '', ' spaced A '],
      [5, '79161234567', '2024-01-01', '2024-01-01T12:00:00'],
      [6, '00042', '0.3', '12345678901234567890'],
      [7, 'true', '=1+1', '2'],
    ])
  })

  it('has cells that do not say where they stand behind the one before, also where that is empty', async () => {
    const text = (said: string) => `<c t="inlineStr"><is><t>${said}</t></is></c>`
    const rows = [
      `<row>${text('a')}${text('b')}${text('c')}</row>`,
      `<row><c/>${text('1')}<c r="C2"><v>2</v></c></row>`,
      `<row><c r="B3"/>${text('3')}</row>`,
    ]
    expect(told(await rowsIn(aWorkbook({ rows })))).toEqual([
      [1, 'a', 'b', 'c'],
      [2, '', '1', '2'],
      [3, '', '', '3'],
    ])
  })

  it('reports cells without a value', async () => {
    const rows = await rowsIn(
      aWorkbook({
        rows: [
          textRow(1, 'a', 'b'),
          '<row r="2"><c r="A2"><f>NOW()</f></c><c r="B2" t="e"><v>#N/A</v></c></row>',
          '<row r="3"><c r="A3" t="s"><v>99</v></c><c r="B3"><v>x</v></c></row>',
        ],
      }),
    )
    expect(rows.map(({ problems }) => problems.map(({ column, code }) => `${column} ${code}`))).toEqual([
      [],
      ['0 invalid_format', '1 invalid_format'],
      ['0 invalid_format', '1 invalid_format'],
    ])
  })

  it('counts days from 1904 if it says so, and knows that 1900 was no leap year', async () => {
    const rows = ['<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="1"><v>61</v></c></row>']
    const formats = ['yyyy-mm-dd']
    expect(await cellsIn(aWorkbook({ rows, formats }))).toEqual([['1900-01-01', '1900-03-01']])
    const head = '<workbookPr date1904="1"/>'
    expect(await cellsIn(aWorkbook({ rows, formats, head }))).toEqual([['1904-01-02', '1904-03-02']])
  })

  it('returns the requested sheet', async () => {
    const path = await file(aWorkbook({ rows: [textRow(1, 'a')] }))
    expect(await findForm(path, { sheetName: 'People' })).toMatchObject({ kind: 'xlsx', sheets: ['People'] })
    expect(await reasonOf(aWorkbook({ rows: [] }), { sheetName: 'Others' })).toBe('unknown_sheet')
  })
})

const parts = workbookParts({ rows: [textRow(1, 'a'), textRow(2, 'b')] })
const sheet = parts.find(({ name }) => name.includes('sheet1'))?.name ?? ''
const withSheet = (content: string | Buffer, declared?: number) =>
  archive([
    ...parts.filter(({ name }) => name !== sheet),
    { name: sheet, content, ...(declared === undefined ? {} : { declared }) },
  ])
const zeros = (size: number) => Buffer.alloc(size, ' ')
const xml = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

describe('an unreadable file is refused as a whole', () => {
  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'not_a_table'],
    ['blank lines', '\n\n  \n', 'no_header'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_a_table'],
    ['a page', '<!DOCTYPE html><table></table>', 'not_a_table'],
    ['JSON', '[{"a":1}]', 'not_a_table'],
    ['PDF', '%PDF-1.7\n1 0 obj', 'not_a_table'],
    ['vCards', '\uFEFFBEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna\r\nEND:VCARD\r\n', 'not_a_table'],
    ['XML behind a mark', '\uFEFF <?xml version="1.0"?><rows/>', 'not_a_table'],
    ['bytes', Buffer.from([97, 44, 98, 10, 1, 2, 3, 10]), 'not_a_table'],
    ['an old or protected workbook', Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'protected'],
    ['an archive of something else', archive([{ name: 'a.txt', content: 'a' }]), 'not_a_table'],
    ['a cut workbook', archive(parts).subarray(0, 400), 'damaged'],
    ['macros', aWorkbook({ rows: [], relations: [['rId9', 'vbaProject', 'vbaProject.bin']] }), 'macros'],
    ['too many columns', `${Array.from({ length: 201 }, (_, index) => `c${index}`).join(',')}\n`, 'too_many_columns'],
    ['a cell far to the right', withSheet(xml('<row r="1"><c r="XFD1"><v>1</v></c></row>')), 'too_many_columns'],
    ['too many rows', `a\n${'1\n'.repeat(100_001)}`, 'too_many_rows'],
    ['a sheet that says it is huge', withSheet(xml(''), 2 ** 31), 'too_large'],
    ['a sheet that is larger than it says', withSheet(xml(textRow(1, 'a')), 10), 'damaged'],
    ['a bomb', withSheet(zeros(bounds.workbookPart.most + 1)), 'too_large'],
    [
      'one endless text',
      withSheet(xml(`<row><c t="inlineStr"><is><t>${'x'.repeat(2 ** 21)}</t></is></c></row>`)),
      'too_large',
    ],
    ['a document type', withSheet(`<!DOCTYPE x [<!ENTITY a "b">]>${xml('')}`), 'damaged'],
    ['deep elements', withSheet('<a>'.repeat(100_000)), 'damaged'],
    ['no XML', withSheet('a,b\n'), 'damaged'],
    ['rows out of order', withSheet(xml('<row r="2"></row><row r="1"></row>')), 'damaged'],
    [
      'too many parts',
      archive(Array.from({ length: 2001 }, (_, index) => ({ name: `p${index}`, content: '' }))),
      'too_large',
    ],
    ['open quotes without end', `a\n${'"x\n'.repeat(3)}${`"${'y'.repeat(100)}\n"z\n`.repeat(70_000)}`, 'broken_quotes'],
  ])('%s', async (_name, content, reason) => {
    expect(await reasonOf(content)).toBe(reason)
  })
})
