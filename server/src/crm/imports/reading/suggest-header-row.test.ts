import { expect, it } from 'vitest'
import { outlineOf, suggestHeaderRow } from './suggest-header-row.ts'

/** The suggestion for a table whose cells are divided by commas. Blank lines are passed over, as everywhere. */
function suggestionFor(text: string): number | null {
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, cells: line.split(',') }))
  return suggestHeaderRow(
    lines.filter(({ cells }) => cells.some(cell => cell !== '')).map(({ line, cells }) => outlineOf(line, cells)),
  )
}

const people = 'Anna,Smith,anna@example.org,+1 202 555 0143\nBob,Jones,bob@example.org,\nEve,Stone,eve@example.org,5'

it.each([
  ['a title and a blank line', `Customers 2024\n\nFirst,Last,Mail,Phone\n${people}`, 3],
  ['a title only', `Customers 2024\nFirst,Last,Mail,Phone\n${people}`, 2],
  ['a title as wide as the table', `Customers 2024,,,\n,,,\nFirst,Last,Mail,Phone\n${people}`, 3],
  ['several lines', `Acme Ltd\nExported on:,2024-05-01\n\nFirst,Last,Mail,Phone\n${people}`, 4],
  ['groups of columns', `Person,,Contact,\nFirst,Last,Mail,Phone\n${people}`, 2],
  ['a first column without a name', `List\n,First,Last,Mail,Phone\n1,Anna,Smith,a@b.org,1\n2,Bob,Jones,b@b.org,2`, 2],
  ['texts alone, below a blank line', 'Customers\n\nFirst,Last,City\nAnna,Smith,Rome\nBob,Jones,Oslo', 3],
  ['two columns', 'Customers\n\nName,Phone\nAnna,+1 202 555 0143\nBob,+1 202 555 0144', 3],
  ['another language', 'Клиенты\n\nИмя,Телефон,Город\nАнна,+79161234567,Москва', 3],
])('the names of the columns are found below %s', (_name, text, line) => {
  expect(suggestionFor(text)).toBe(line)
})

it.each([
  ['an ordinary table', `First,Last,Mail,Phone\n${people}`],
  ['a table without rows', 'First,Last,Mail,Phone'],
  ['a title without a table', 'Customers 2024'],
  ['one column', 'Mail\na@example.org\nb@example.org'],
  ['one column with commas in it', 'Name\nSmith, Anna\nJones, Bob'],
  ['prose', 'Notes\n\nhello, world\nmore, or less\nand so on'],
  ['a first column that alone has a name', `Name,,,\n${people}`],
  ['names of texts that alone has a name', 'Name,,\nAnna,Smith,Rome\nBob,Jones,Oslo'],
  ['no names at all', people],
  [
    'few cells in the first rows',
    `First,Last,Mail,Phone\nAnna\nBob\nEve,Stone,eve@example.org,5\nJo,Ray,jo@example.org,6`,
  ],
  ['names after which most columns are empty', 'First,Last,Mail,Phone,Street,City\nAnna,,,,,\nBob,,,,,'],
  ['half of the names', `First,Last,,\n${people}`],
  ['a key and values', 'Name,Acme\nCity,Rome\nPhone,5'],
  ['a wide row among narrow ones', 'Name\nAnna\nBob,Jones,Oslo,Norway\nEve\nMax'],
  ['two columns of texts below a title', 'Customers\n\nName,City\nAnna,Rome\nBob,Oslo'],
  ['two wide tables', `First,Last,Mail,Phone\n${people}\n\nCompany,Street,Zip,City\nAcme,Main Street,5,Rome`],
  ['names below the last line that can be set', `Customers${'\n'.repeat(100)}First,Last,Mail,Phone\n${people}`],
  ['names that are numbers', '2024\nQ1,Q2,Q3,2\n5,6,7,8'],
  ['a title above names of which two are alike', `Customers\n\nName,Mail,Mail,Phone\n${people}`],
])('no other line is suggested for %s', (_name, text) => {
  expect(suggestionFor(text)).toBeNull()
})

it('a blank line is told from a line break in a cell', () => {
  const rows = [
    outlineOf(1, ['Name\nof all']),
    outlineOf(3, ['Anna', 'Smith', 'Rome']),
    outlineOf(4, ['Bob', 'Jones', 'Oslo']),
  ]
  expect(suggestHeaderRow(rows)).toBeNull()
})
