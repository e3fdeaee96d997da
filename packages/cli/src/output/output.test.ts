import { expect, test } from 'vitest'
import { csvRow } from './csv.ts'
import { type Format, Output } from './output.ts'
import { inOneLine, jsonLine } from './printable.ts'

/** How pages of records are printed. */
async function printed(format: Format, pages: readonly (readonly object[])[], columns = 80): Promise<string> {
  let text = ''
  const print = async (part: string) => {
    text += part
    return true
  }
  const output = new Output({ format, csvSafe: false, isTerminal: false, columns, print })
  for (const page of pages) await output.records(page)
  return text
}

const pages = [[{ id: 'a', name: 'Anna' }], [{ id: 'b', name: 'Boris', age: 7 }]]

test('all pages have the columns of the first one', async () => {
  expect(await printed('table', pages)).toBe('id  name\na   Anna\nb   Bor…\n')
  expect(await printed('csv', pages)).toBe('id,name\r\na,Anna\r\nb,Boris\r\n')
  expect(await printed('json', pages)).toBe('{"id":"a","name":"Anna"}\n{"id":"b","name":"Boris","age":7}\n')
})

test('a table leaves out lists, objects and what the terminal has no room for', async () => {
  const record = { id: 'a', tags: ['x'], data: {}, one: 'x'.repeat(30), two: 'y'.repeat(30) }
  expect(await printed('table', [[record]], 40)).toBe(`id  one\na   ${'x'.repeat(30)}\n`)
})

test('a few records are shown with all that they have', async () => {
  let text = ''
  const print = async (part: string) => (text += part) !== ''
  const output = new Output({ format: 'table', csvSafe: false, isTerminal: true, columns: 80, print })
  await output.sheets([{ id: 'a', data: { emails: [{ value: 'a@b' }] } }, { id: 'b' }])
  expect(text).toBe('id                   a\ndata.emails.0.value  a@b\n\nid  b\n')
})

test.each(['table', 'json', 'csv'] as const)('an empty list prints nothing as %s', async format => {
  expect(await printed(format, [[]])).toBe('')
})

test('no control character, line separator or mark of direction is left in a line', () => {
  expect(inOneLine('a\r\n  b\tc\u001b\u0085\u2028\u200f')).toBe('a b\u{fffd}c\u{fffd}\u{fffd}\u{fffd}\u{fffd}')
  const value = { text: 'a\u007f\u0085\u2028\u202e' }
  expect(jsonLine(value)).toBe('{"text":"a\\u007f\\u0085\\u2028\\u202e"}')
  expect(JSON.parse(jsonLine(value))).toEqual(value)
})

test.each(['=1', '+1', '-1', '@a', ' =1', '\u200b=1', '＝1'])('%j is made harmless for a spreadsheet', text => {
  expect(csvRow([text], true)).toMatch(/^"?'/u)
})

test('numbers and other texts are left as they are', () => {
  expect(csvRow([-1, 'a=1', null, ['x'], true], true)).toBe('-1,a=1,,"[""x""]",true\r\n')
})
