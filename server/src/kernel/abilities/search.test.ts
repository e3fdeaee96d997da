import { expect, it } from 'vitest'
import { searchConditions } from './search.ts'

const conditions = (search: string) => searchConditions(search, false, value => JSON.stringify(value))

it.each(['abc', 'čšž', '中文字', 'ab-', '-a', 'a.b', '1a2'])('looks for %s in the index, which knows it', word => {
  expect(conditions(word)[0]).toContain('t.search_names like "%')
})

it.each(['a', 'ab', 'a-', 'c++', '---', '%', '中文'])('looks for %s among the newest records', word => {
  expect(conditions(word)).toEqual([`strpos(t.search_names, "${word}") > 0`])
})

it('asks for each word by itself', () => {
  expect(conditions('x Petrova')).toEqual(['strpos(t.search_names, "x") > 0', 't.search_names like "%petrova%"'])
})

it('asks once for a word that is given twice, and not for one that stands in another', () => {
  expect(conditions('Trov petrova a PETROVA')).toEqual(['t.search_names like "%petrova%"'])
})
