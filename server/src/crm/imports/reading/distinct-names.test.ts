import { expect, it } from 'vitest'
import { bounds } from '../../../kernel/index.ts'
import { DistinctNames } from './distinct-names.ts'

function namesOf(cells: readonly string[]): readonly string[] {
  const names = new DistinctNames()
  for (const cell of cells) names.add(cell)
  return names.names
}

it('names that differ in case, spaces and accents are one, in the form of the first', () => {
  expect(namesOf([' Café  Nord', 'CAFE NORD', 'Café Nord', 'Café Süd', '', '\u200B '])).toEqual([
    'Café  Nord',
    'Café Süd',
  ])
})

it('a cell that is longer than a name is none', () => {
  expect(namesOf(['x'.repeat(301), 'x'.repeat(300)])).toEqual(['x'.repeat(300)])
})

it('the first names are kept, however many there are', () => {
  const { most } = bounds.importNamedCompanies
  const names = namesOf(Array.from({ length: most + 10 }, (_, index) => `Company ${index}`))
  expect([names.length, names.at(-1)]).toEqual([most, `Company ${most - 1}`])
})

it('spellings of one name are not kept without end', () => {
  const names = new DistinctNames()
  const { most } = bounds.importNamedCompanies
  for (let spaces = 1; spaces < 200; spaces += 1)
    for (let more = 1; more < 40; more += 1) names.add(`A${' '.repeat(spaces)}B${' '.repeat(more)}C`)
  expect([names.names.length, names.cells <= most]).toEqual([1, true])
})
