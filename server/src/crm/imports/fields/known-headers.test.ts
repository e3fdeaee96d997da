import { expect, it } from 'vitest'
import { bounds } from '../../../kernel/index.ts'
import { headerForm } from './known-headers.ts'

it('a header loses the text before a dash where that is the type of its rows', () => {
  expect(headerForm('Person - Name', 'contacts')).toBe('name')
  expect(headerForm('Person - Name', 'companies')).toBe('person name')
})

it('long headers take no noticeable time', () => {
  const long = `Person${' '.repeat(bounds.importCell.most - 10)}Name`
  for (let column = 0; column < bounds.importColumns.most; column += 1)
    expect(headerForm(long, 'contacts')).toBe('person name')
})
