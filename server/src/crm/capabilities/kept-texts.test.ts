import { expect, it } from 'vitest'
import { bounds } from '../../kernel/index.ts'
import { TextsByVersion } from './texts-by-version.ts'

const texts = (version: string, directories = '{}') => ({ version, organization: '{}', directories })

it('gives texts only for the version that they were made from', () => {
  const kept = new TextsByVersion()
  kept.keep('one', texts('1'))
  expect([kept.find('one', '1'), kept.find('one', '2'), kept.find('other', '1')]).toEqual([texts('1'), null, null])
  kept.keep('one', texts('2'))
  expect([kept.find('one', '1'), kept.find('one', '2')]).toEqual([null, texts('2')])
})

it('forgets the longest unused when there is no more room, however often the others were kept', () => {
  const third = texts('1', 'x'.repeat(bounds.keptDirectories.most / 6))
  const kept = new TextsByVersion()
  for (const name of ['one', 'two', 'two', 'two']) kept.keep(name, third)
  expect(kept.find('one', '1')).toBe(third)
  kept.keep('three', third)
  expect(['one', 'two', 'three'].map(name => kept.find(name, '1') !== null)).toEqual([true, false, true])
})
