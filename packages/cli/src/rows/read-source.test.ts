import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rowsOf, sourceOf } from './read-source.ts'

/** The rows of a file with this content. */
async function rowsIn(name: string, content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'crm-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, name)
  writeFileSync(file, content)
  const rows = []
  for await (const { line, cells, problem } of rowsOf(await sourceOf(file, {})))
    rows.push({ line, cells: Object.fromEntries(cells), problem })
  return rows
}

test.each([['a,b\n1,2\r\n3,4\r\n'], ['a,b\r\n1,2\n3,4\n'], ['a,b\r1,2\r3,4']])(
  'each row may end with a break of its own: %j',
  async content => {
    expect(await rowsIn('a.csv', content)).toEqual([
      { line: 2, cells: { a: '1', b: '2' }, problem: null },
      { line: 3, cells: { a: '3', b: '4' }, problem: null },
    ])
  },
)

test('a row has the line of the file on which it begins, whatever breaks stand in cells', async () => {
  const rows = await rowsIn('a.csv', 'a,b\r\n"1\r\n1","2\r\n2\n2"\r\n\r\n"3\r3",4\r\n5,6\r\n"7\r\n",8')
  expect(rows.map(({ line }) => line)).toEqual([2, 7, 9, 10])
})

test('the line of an error is right behind breaks in cells', async () => {
  await expect(rowsIn('a.csv', 'a,b\r\n"1\r\n1",2\r\n"3\r\n4,5\r\n')).rejects.toThrow(
    'in the row after line 3: a quote is not closed',
  )
})

test('columns without names are passed over for as long as they are empty', async () => {
  expect(await rowsIn('a.csv', 'a,,b,\n1,,2,\n')).toEqual([{ line: 2, cells: { a: '1', b: '2' }, problem: null }])
  await expect(rowsIn('a.csv', 'a,,b\n1,,2\n3,x,4\n')).rejects.toThrow(
    'line 3: column 2 has "x", but no name in the first row',
  )
})

test('a line of NDJSON that was no JSON stays refused for as long as it is kept as a text', async () => {
  const told = { error_line: 1, error_code: 'unreadable', error_message: 'no', error_text: 'not json' }
  expect(await rowsIn('a.ndjson', `${JSON.stringify(told)}\n{"error_text":"mine"}\n`)).toEqual([
    { line: 1, cells: told, problem: 'the line has error_text: write the record in its place' },
    { line: 2, cells: { error_text: 'mine' }, problem: null },
  ])
})

test('a line of NDJSON with a number that would be rounded is refused and kept', async () => {
  const line = '{"externalId":"A","parts":[{"n":9007199254740993}]}'
  expect(await rowsIn('a.ndjson', `${line}\n{"n":9007199254740991}\n`)).toEqual([
    {
      line: 1,
      cells: { error_text: line },
      problem: 'a number beyond 9007199254740991 would be rounded: write it as a text',
    },
    { line: 2, cells: { n: 9007199254740991 }, problem: null },
  ])
})
