import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { setBound } from '../support/set-bound.ts'
import { useApi } from './support/given.ts'
import { expectStatus, upload } from './support/imports.ts'
import { issuePaths, issueRules } from './support/requests.ts'
import { archive, aWorkbook, textRow, workbookParts } from './support/workbooks.ts'

const given = useApi()

type Content = string | Buffer

/** Where and why of the issues of a refusal. */
const issuesOf = (answer: Answer) => issuePaths(answer).map((path, index) => [path, issueRules(answer)[index]])

const mapping = { firstName: 0, phone1: 1 }
const names = 'Name,Phone\n'
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
const latin = (text: string) => Buffer.from(text, 'latin1')
/** A text in Windows-1251, of its letters and ASCII. */
const cyrillic = (text: string) =>
  Buffer.from(
    [...text].map(letter => (letter >= 'А' && letter <= 'я' ? letter.charCodeAt(0) - 0x350 : letter.charCodeAt(0))),
  )

const parts = workbookParts({ rows: [textRow(1, 'Name', 'Phone'), textRow(2, 'Anna')] })
const isSheet = ({ name }: { readonly name: string }) => name.includes('sheet1')
/** A workbook of which one part is another one. */
const withPart = (part: string, content: Content, declared?: number) =>
  archive(
    parts.map(({ name, content: own }) =>
      name === part ? { name, content, ...(declared === undefined ? {} : { declared }) } : { name, content: own },
    ),
  )
const sheetPart = parts.find(isSheet)?.name ?? ''
const sheetOf = (...rows: readonly string[]) => aWorkbook({ rows: [textRow(1, 'Name', 'Phone'), ...rows] })
const inSheet = (rows: string) => withPart(sheetPart, `<worksheet><sheetData>${rows}</sheetData></worksheet>`)

/** Status and rule of the answer that refuses a file, in the step that does. */
async function refusalOf(content: Content, preview: JsonObject): Promise<unknown[]> {
  const { client } = await given.shared()
  const uploaded = await upload(client, content, { fileName: 'people.xlsx' })
  if (uploaded.status !== 201) return ['upload', uploaded.status, ...issuesOf(uploaded)]
  const previewed = await client.post(`/imports/${uploaded.data.id}/preview`, preview)
  await client.post(`/imports/${uploaded.data.id}/cancel`)
  return ['preview', previewed.status, ...issuesOf(previewed)]
}

describe('a file that cannot be read is refused, with the reason:', () => {
  it.each<[name: string, step: string, rule: string, content: Content, preview?: JsonObject]>([
    ['nothing', 'upload', 'not_a_table', ''],
    ['a picture', 'upload', 'not_a_table', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a PDF', 'upload', 'not_a_table', '%PDF-1.7\n%âãÏÓ\n1 0 obj'],
    ['an old workbook', 'upload', 'protected', Buffer.from('d0cf11e0a1b11ae1000000', 'hex')],
    ['a gzipped table', 'upload', 'not_a_table', Buffer.from('1f8b0800000000000003', 'hex')],
    ['NUL bytes', 'upload', 'not_a_table', `${names}An\0na,1\n`],
    ['an archive in an archive', 'upload', 'not_a_table', archive([{ name: 'people.xlsx', content: archive(parts) }])],
    ['a cut workbook', 'upload', 'damaged', archive(parts).subarray(0, 400)],
    ['macros', 'upload', 'macros', aWorkbook({ rows: [], relations: [['rId9', 'vbaProject', 'vbaProject.bin']] })],
    [
      'a target that is no address',
      'upload',
      'damaged',
      aWorkbook({ rows: [], relations: [['rId1', 'worksheet', '%E0%A4%A']] }),
    ],
    ['no address at all', 'upload', 'damaged', aWorkbook({ rows: [], relations: [['rId1', 'worksheet', 'http://[']] })],
    ['an archive as a sheet', 'preview', 'damaged', withPart(sheetPart, archive(parts))],
    [
      'a document type',
      'preview',
      'damaged',
      withPart(sheetPart, '<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>'),
    ],
    [
      'entities of entities',
      'preview',
      'damaged',
      withPart('xl/sharedStrings.xml', '<!DOCTYPE x [<!ENTITY a "&b;&b;">]><sst/>'),
    ],
    ['a sheet that says it is huge', 'preview', 'too_large', withPart(sheetPart, '', 2 ** 31)],
    [
      'texts that unpack to too much',
      'preview',
      'too_large',
      withPart('xl/sharedStrings.xml', Buffer.alloc(bounds.workbookTexts.most + 1, ' ')),
    ],
    [
      'more text in a cell than a row has',
      'preview',
      'too_large',
      inSheet(textRow(1, 'x'.repeat(bounds.importRow.most + 100_000))),
    ],
    ['a lone surrogate in a name', 'preview', 'no_header', inSheet(textRow(1, 'Na_xD800_me'))],
    ['blank lines', 'preview', 'no_header', '\n \n,,\n'],
    [
      'too many columns',
      'preview',
      'too_many_columns',
      `${Array.from({ length: 201 }, (_, index) => `c${index}`).join(';')}\n`,
    ],
    ['too many rows', 'preview', 'too_many_rows', `a\n${'1\n'.repeat(100_001)}`],
    ['a broken quote in the names', 'preview', 'no_header', '"Na"me,Phone\nAnna,1\n'],
    [
      'another encoding than is said',
      'preview',
      'no_header',
      cyrillic('Имя;Фамилия\nАнна;Петрова\n'),
      { encoding: 'utf-8' },
    ],
    ['no line where the names shall be', 'preview', 'no_header', names, { headerRow: 5 }],
    ['another sheet than is said', 'preview', 'unknown_sheet', archive(parts), { sheetName: 'Sales' }],
    ['a sheet of a text table', 'preview', 'unknown_sheet', names, { sheetName: 'Sales' }],
  ])('%s', async (_name, step, rule, content, preview = {}) => {
    expect(await refusalOf(content, preview)).toEqual([step, 422, ['/file', rule]])
  })

  it('too_slow, where it takes longer to read than a request may', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, `${names}${'Anna,\n'.repeat(99_000)}`), 201)
    setBound(bounds.requestReadingTime, 1)
    const answer = await client.post(`/imports/${id}/preview`, {})
    expect([answer.status, ...issuesOf(answer)]).toEqual([422, ['/file', 'too_slow']])
  })

  it('and a start that was not previewed finds the same', async () => {
    const { client } = await given.shared()
    const { id } = expectStatus(await upload(client, withPart(sheetPart, 'a,b\n')), 201)
    const answer = await client.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only' })
    expect([answer.status, ...issuesOf(answer)]).toEqual([422, ['/file', 'damaged']])
    expect((await client.get(`/imports/${id}`)).data.status).toBe('uploaded')
    await client.post(`/imports/${id}/cancel`)
  })
})

/** What an import of a file has made of its rows: their errors, and the names of those that were taken. */
async function imported(content: Content, preview: JsonObject = {}) {
  const { client } = await given.shared()
  const { id } = expectStatus(await upload(client, content), 201)
  const previewed = expectStatus(await client.post(`/imports/${id}/preview`, preview), 200)
  const start = { mapping, dedupPolicy: 'create_only', defaults: { source: String(id) } }
  expectStatus(await client.post(`/imports/${id}/start`, start), 202)
  await runJobs(given.api)
  const { data } = await client.get(`/imports/${id}`)
  const errors = Array.isArray(data.errors) ? data.errors.map(objectOf) : []
  const items = (await client.get('/contacts?limit=100')).items.filter(({ source }) => source === id)
  return {
    errors: errors.map(({ row, column, field, code }) => [row, column, field, code]),
    taken: items.map(({ firstName }) => firstName).toReversed(),
    form: [previewed.encoding, previewed.delimiter],
    status: data.status,
  }
}

describe('rows and cells that cannot be read are reported one by one:', () => {
  it.each<[name: string, content: Content, errors: readonly unknown[], taken: readonly string[]]>([
    ['an open quote', `${names}Anna,1234567\n"Igor,2\nOlga,\n`, [[3, null, null, 'row_parse_error']], ['Anna', 'Olga']],
    ['a stray quote', `${names}"5" pipe,1\nOlga,\n`, [[2, null, null, 'row_parse_error']], ['Olga']],
    ['a quote inside a cell', `${names}6' 1" Anna,\n`, [], [`6' 1" Anna`]],
    [
      'ragged rows',
      `${names}Anna\nIgor,+12025550143,3\nOlga,,,\n`,
      [[3, null, null, 'column_count']],
      ['Anna', 'Olga'],
    ],
    [
      'a broken byte in UTF-8',
      Buffer.concat([Buffer.from(`${names}Жанна,\nЮлия,\n`), latin('\xc6van,\n'), Buffer.from('Ольга,\n')]),
      [[4, 'Name', 'firstName', 'row_parse_error']],
      ['Жанна', 'Юлия', 'Ольга'],
    ],
    [
      'one behind the mark of UTF-8',
      Buffer.concat([Buffer.from(`\uFEFF${names}`), latin('J\xfcrgen,\n'), Buffer.from('Jörg,\n')]),
      [[2, 'Name', 'firstName', 'row_parse_error']],
      ['Jörg'],
    ],
    [
      'half a pair in UTF-16',
      utf16(`${names}A\uD800,\nOlga,\n`),
      [[2, 'Name', 'firstName', 'row_parse_error']],
      ['Olga'],
    ],
    ['NUL in UTF-16', utf16(`${names}A\0,\nOlga,\n`), [[2, 'Name', 'firstName', 'row_parse_error']], ['Olga']],
    [
      'a byte that Windows-1252 does not have',
      latin(`${names}J\xfcrgen,\nA\x81,\n`),
      [[3, 'Name', 'firstName', 'row_parse_error']],
      ['Jürgen'],
    ],
    [
      'a cell of a megabyte',
      `${names}${'x'.repeat(1_000_000)},\nOlga,\n`,
      [[2, 'Name', 'firstName', 'too_long']],
      ['Olga'],
    ],
    [
      'a cell of a megabyte in a workbook',
      sheetOf(textRow(2, 'x'.repeat(1_000_000)), textRow(3, 'Olga')),
      [[2, 'Name', 'firstName', 'too_long']],
      ['Olga'],
    ],
    [
      'characters that no text has, in a workbook',
      sheetOf(textRow(2, 'A_x0000_'), textRow(3, 'A_xD800_'), textRow(4, 'Olga')),
      [
        [2, 'Name', 'firstName', 'row_parse_error'],
        [3, 'Name', 'firstName', 'row_parse_error'],
      ],
      ['Olga'],
    ],
    [
      'cells with formulas, errors and texts that are not there',
      sheetOf(
        '<row r="2"><c r="A2"><f>NOW()</f></c></row>',
        '<row r="3"><c r="A3" t="e"><f>A1/0</f><v>#DIV/0!</v></c></row>',
        '<row r="4"><c r="A4" t="s"><v>99</v></c></row>',
        '<row r="6"><c r="A6" t="str"><f>UPPER("x")</f><v>Olga</v></c></row>',
      ),
      [
        [2, 'Name', 'firstName', 'invalid_format'],
        [3, 'Name', 'firstName', 'invalid_format'],
        [4, 'Name', 'firstName', 'invalid_format'],
      ],
      ['Olga'],
    ],
    [
      'phones that a spreadsheet has shortened',
      `${names}Anna,7.9E+10\nIgor,"7,9E10"\nOlga,+79161234567\n`,
      [
        [2, 'Phone', 'phone1', 'invalid_format'],
        [3, 'Phone', 'phone1', 'invalid_format'],
      ],
      ['Olga'],
    ],
    ['no rows at all', names, [], []],
  ])('%s', async (_name, content, errors, taken) => {
    const done = await imported(content)
    expect([done.errors, done.taken]).toEqual([errors, taken])
    expect(done.status).toBe(errors.length === 0 ? 'completed' : 'completed_with_errors')
  })
})

describe('encodings and delimiters are detected, or set', () => {
  const table = (delimiter: string, one: string, other: string) =>
    `Name${delimiter}Phone\n${one}${delimiter}\n${other}${delimiter}\n`

  it.each<[encoding: string, delimiter: string, content: Buffer, taken: readonly string[], preview?: JsonObject]>([
    ['utf-8', ',', Buffer.from(`\uFEFF${table(',', 'Анна', 'Jörg')}`), ['Анна', 'Jörg']],
    ['utf-8', ';', Buffer.from(table(';', 'Анна', 'Jörg')), ['Анна', 'Jörg']],
    ['utf-16le', '\t', utf16(table('\t', 'Анна', 'Jörg')), ['Анна', 'Jörg']],
    ['utf-16be', '|', utf16(table('|', 'Анна', 'Jörg')).swap16(), ['Анна', 'Jörg']],
    ['windows-1251', ';', cyrillic(table(';', 'Анна', 'Юлия')), ['Анна', 'Юлия']],
    ['windows-1252', ';', latin(table(';', 'Jörg', 'Zoë')), ['Jörg', 'Zoë']],
    ['windows-1251', ';', latin(table(';', 'Zo\xeb', 'Bo')), ['Zoл', 'Bo'], { encoding: 'windows-1251' }],
    ['utf-8', '|', Buffer.from('Name|Phone\nA,B|\n'), ['A,B'], { delimiter: '|' }],
  ])('%s with %j', async (encoding, delimiter, content, taken, preview = {}) => {
    const done = await imported(content, preview)
    expect(done).toMatchObject({ form: [encoding, delimiter], errors: [], taken })
  })

  it('a table of which the names stand lower, and one sheet of several', async () => {
    const done = await imported(`List of people\n\n${names}Anna,\n`, { headerRow: 2 })
    expect(done.taken).toEqual(['Anna'])
    const second = `<worksheet><sheetData>${textRow(1, 'Name')}${textRow(2, 'Olga')}</sheetData></worksheet>`
    const content = aWorkbook({
      rows: [textRow(1, 'Name'), textRow(2, 'Anna')],
      sheets: ['Others'],
      relations: [['rId9', 'worksheet', 'worksheets/sheet2.xml']],
      more: [{ name: 'xl/worksheets/sheet2.xml', content: second }],
    })
    const organization = await given.organization()
    const { id } = expectStatus(await upload(organization.client, content), 201)
    const previewed = await organization.client.post(`/imports/${id}/preview`, { sheetName: 'Others' })
    expect(previewed.data).toMatchObject({ sheets: ['People', 'Others'], columns: [{ samples: ['Olga'] }] })
    expectStatus(
      await organization.client.post(`/imports/${id}/start`, { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }),
      202,
    )
    await runJobs(given.api)
    const { items } = await organization.client.get('/contacts')
    expect(items.map(({ firstName }) => firstName)).toEqual(['Olga'])
  })
})

it('a workbook is read from its first sheet that is not hidden', async () => {
  const { client } = await given.organization()
  const shown = `<worksheet><sheetData>${textRow(1, 'Name')}${textRow(2, 'Olga')}</sheetData></worksheet>`
  const workbook = workbookParts({
    rows: [textRow(1, 'Name'), textRow(2, 'Anna')],
    sheets: ['Others'],
    relations: [['rId9', 'worksheet', 'worksheets/sheet2.xml']],
    more: [{ name: 'xl/worksheets/sheet2.xml', content: shown }],
  })
  const hidden = workbook.map(({ name, content }) => ({
    name,
    content: String(content).replace('sheetId="1"', 'sheetId="1" state="hidden"'),
  }))
  const { id } = expectStatus(await upload(client, archive(hidden)), 201)
  expect((await client.post(`/imports/${id}/preview`, {})).data.columns).toMatchObject([{ samples: ['Olga'] }])
})

it('leading zeros are kept, in texts and in numbers that are shown with them', async () => {
  const { client } = await given.organization()
  const content = aWorkbook({
    formats: ['00000'],
    rows: [
      textRow(1, 'Key', 'Name'),
      '<row r="2"><c r="A2" s="1"><v>42</v></c><c r="B2" t="inlineStr"><is><t>0042</t></is></c></row>',
    ],
  })
  for (const [index, file] of [content, 'Key,Name\n00007,0042\n'].entries()) {
    const { id } = expectStatus(await upload(client, file), 201)
    const start = { mapping: { externalId: 'Key', firstName: 'Name' }, dedupPolicy: 'create_only' }
    expectStatus(await client.post(`/imports/${id}/start`, start), 202)
    await runJobs(given.api)
    const { items } = await client.get(`/contacts?externalId=${['00042', '00007'][index]}`)
    expect(items.map(({ firstName }) => firstName)).toEqual(['0042'])
  }
})

it('columns of the same name are reported, and mapped by their numbers', async () => {
  const { client } = await given.organization()
  const { id } = expectStatus(await upload(client, 'Name,,Name\nAnna,x,Petrova\n'), 201)
  const { warnings } = expectStatus(await client.post(`/imports/${id}/preview`, {}), 200)
  const told = Array.isArray(warnings) ? warnings.map(objectOf).map(({ code, column }) => [code, column]) : []
  expect(told).toEqual([
    ['empty_header', 1],
    ['duplicate_header', 2],
  ])
  const start = (column: unknown) =>
    client.post(`/imports/${id}/start`, { mapping: { firstName: 0, lastName: column }, dedupPolicy: 'create_only' })
  expect(issuesOf(await start('Name'))).toEqual([['/mapping/lastName', 'column']])
  expect((await start(2)).status).toBe(202)
  await runJobs(given.api)
  expect((await client.get('/contacts')).items).toMatchObject([{ firstName: 'Anna', lastName: 'Petrova' }])
})
