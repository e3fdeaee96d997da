import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Block } from './block.ts'
import type { Passage } from './passage.ts'
import { split } from './split.ts'

async function passagesOf(blocks: readonly Block[]): Promise<Passage[]> {
  const coming = async function* () {
    yield* blocks
  }
  const passages: Passage[] = []
  for await (const passage of split(coming())) passages.push(passage)
  return passages
}

const sentence = (length: number, letter = 'a') => `${letter.repeat(length - 1)}.`
const textsOf = async (...texts: readonly string[]) => {
  const passages = await passagesOf(texts.map(text => ({ text })))
  return passages.map(({ text }) => text)
}

it('paragraphs are kept together until a passage is long enough, and never beyond its bound', async () => {
  expect(await textsOf('one', 'two', 'three')).toEqual(['one\ntwo\nthree'])
  const [long, short] = [sentence(698), sentence(500, 'b')]
  expect(await textsOf(long, short, 'end')).toEqual([`${long}\n${short}`, 'end'])
  expect(await textsOf(sentence(699), 'end')).toHaveLength(2)
  expect(await textsOf(sentence(600), sentence(600, 'b'))).toHaveLength(2)
})

it('a passage stays on one page and below one heading, of which each level holds until one like it or above it comes', async () => {
  const passages = await passagesOf([
    { text: 'Before', page: 1 },
    { text: 'Part', level: 1, page: 1 },
    { text: 'Chapter', level: 2, page: 1 },
    { text: 'One', page: 1 },
    { text: 'Two', page: 2 },
    { text: 'Next chapter', level: 2, page: 2 },
    { text: 'Three', page: 2 },
    { text: 'Next part', level: 1, page: 2 },
    { text: 'Four', page: 2 },
  ])
  expect(passages.map(({ text, heading, page }) => [text, heading, page])).toEqual([
    ['Before', '', 1],
    ['One', 'Part › Chapter', 1],
    ['Two', 'Part › Chapter', 2],
    ['Three', 'Part › Next chapter', 2],
    ['Four', 'Next part', 2],
  ])
})

it('a heading without text below it is a passage', async () => {
  const passages = await passagesOf([
    { text: 'Empty', level: 1 },
    { text: 'Also empty', level: 1 },
  ])
  expect(passages.map(({ text }) => text)).toEqual(['Empty', 'Also empty'])
})

it('a row of a table is a passage of its own, and several where it is long', async () => {
  const row = (line: number) => ({ sheet: null, line })
  const passages = await passagesOf([
    { text: 'Above' },
    { text: 'Tea: hot', row: row(2) },
    { text: `${sentence(1000)} ${sentence(1000, 'b')}`, row: row(3) },
  ])
  expect(passages.map(({ text, row }) => [text, row?.line])).toEqual([
    ['Above', undefined],
    ['Tea: hot', 2],
    [sentence(1000), 3],
    [sentence(1000, 'b'), 3],
  ])
})

it('a long paragraph is divided behind a sentence, else behind a word, else anywhere but in a character', async () => {
  const [first, second] = [sentence(600), sentence(900, 'b')]
  expect(await textsOf(`${first} ${second}`)).toEqual([first, second])
  const words = Array.from({ length: 300 }, () => 'words').join(' ')
  const [beginning = '', rest] = await textsOf(words)
  expect([beginning.endsWith('words'), `${beginning} ${rest}`]).toEqual([true, words])
  const signs = `a${'😀'.repeat(1000)}`
  const parts = await textsOf(signs)
  expect([parts.every(part => part.isWellFormed()), parts.join('')]).toEqual([true, signs])
})

it('no division loses text, gives an empty passage, or one of more than 1,200 characters', async () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '.'), minLength: 1, maxLength: 1500 }), {
    minLength: 1,
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 6 }), async paragraphs => {
      const texts = paragraphs.map(paragraph => paragraph.join(' '))
      const found = await textsOf(...texts)
      expect(found.join('').replaceAll(/\s/gu, '')).toBe(texts.join('').replaceAll(/\s/gu, ''))
      expect(found.filter(({ length }) => length === 0 || length > 1200)).toEqual([])
    }),
    { numRuns: 50 },
  )
})
