import { expect, test } from 'vitest'
import { csvCell, safeCsvCell } from './csv-cell.ts'

test.each([
  ...['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '\nx'],
  // Behind blanks, and characters that nobody sees.
  ...[
    ' =1+1',
    '\u00A0=1+1',
    '\u3000=1+1',
    ' \t\n\r =1+1',
    '\u200B=1+1',
    '\uFEFF=1+1',
    '\u2060@sum',
    '\0=1+1',
    '\u00AD-1',
  ],
  // In their full-width forms.
  ...['＝1+1', '＋1', '－1', '＠sum', '\u00A0＝1+1'],
])('an apostrophe stands before %j, which a spreadsheet could take for a formula', text => {
  expect(safeCsvCell(text)).toBe(csvCell(`'${text}`))
})

test.each(['', ' ', '\u00A0', 'a=1', ' a\n=1', "'=1", '1-1', '１－１', '(=1)', '#1', '–1', '"=1"'])(
  '%j stays as it is',
  text => {
    expect(safeCsvCell(text)).toBe(csvCell(text))
  },
)
