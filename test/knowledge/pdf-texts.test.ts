import { describe, expect, it } from 'vitest'
import { findPassages } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { aPdf, pdfOf } from './support/documents.ts'
import { codesOf, type Piece, pageOfCodes, pageOfPieces, pdfInFont } from './support/fonts.ts'
import { aBase, readFile } from './support/knowledge.ts'

const given = useApi()

/** What becomes of a PDF, and the texts in which the question finds something. One process reads them all: its library is large. */
async function read(content: Buffer, question: string) {
  const { id, client } = await given.shared()
  const base = await aBase(client)
  const file = await readFile(given.api, client, { base, id: 'f', name: 'a.pdf', content })
  const asked = { organizationId: id, baseId: base, question, limit: 10 }
  const passages = (await findPassages(asked, given.api.services)) ?? []
  return { file, texts: passages.map(({ text }) => text) }
}

const inUnicode = (text: string) => [codesOf(text), text] as const
const inEncoding = (codes: string, encoding: string) =>
  [codes, new TextDecoder(encoding).decode(Buffer.from(codes, 'hex'))] as const

describe('a PDF whose fonts are not embedded keeps its text', () => {
  it.each([
    ['Japanese', '90ms-RKSJ-H', 'Japan1', inEncoding('93fa967b8cea82cc95b68f91', 'shift_jis')],
    ['Japanese', 'UniJIS-UCS2-H', 'Japan1', inUnicode('日本語の文書')],
    ['Japanese', 'Identity-H', 'Japan1', ['04d204d3', '碓臼']],
    ['Chinese', 'GBK-EUC-H', 'GB1', inEncoding('d6d0cec4cec4b5b5', 'gbk')],
    ['Chinese', 'UniGB-UCS2-H', 'GB1', inUnicode('中文文档')],
    ['Chinese', 'ETen-B5-H', 'CNS1', inEncoding('a4a4a4e5a4e5a5f3', 'big5')],
    ['Korean', 'KSCms-UHC-H', 'Korea1', inEncoding('c7d1b1b9bee1b9aebcad', 'euc-kr').map(String)],
  ] as const)('in %s, encoded by %s for Adobe-%s', async (_, encoding, collection, [codes = '', text = '']) => {
    const { file, texts } = await read(pdfInFont({ encoding, collection }, [pageOfCodes(codes)]), text)
    expect(file).toMatchObject({ status: 'ready', error: null })
    expect(texts).toEqual([text])
  })
})

const failed = { status: 'failed', error: { code: 'no_text' } }

describe('a PDF whose text is mostly lost fails', () => {
  const noTable = { encoding: 'Identity-H', collection: 'Identity' }
  it.each([
    ['replacement characters', pdfOf([pageOfCodes(codesOf('Title'), codesOf('\uFFFD'.repeat(40)))])],
    ['characters for private use', pdfOf([pageOfCodes(codesOf('Title'), codesOf('\uE001\uF0B7\uE123'.repeat(20)))])],
    ['control characters', pdfOf([pageOfCodes(codesOf('Title'), codesOf('\u0001\u0002\u0012'.repeat(20)))])],
    ['NUL characters', pdfOf([pageOfCodes(codesOf('Title'), '0000'.repeat(60))])],
    ['numbers of glyphs in place of characters', pdfInFont(noTable, [pageOfCodes('00370048004B0003002400030037')])],
    ['an encoding that nobody knows', pdfInFont({ encoding: 'Own-H', collection: 'Own' }, [pageOfCodes('0037')])],
  ])('with %s', async (_, content) => {
    expect((await read(content, 'title')).file).toMatchObject(failed)
  })

  it('and so does a page of HTML', async () => {
    const { client } = await given.shared()
    const [base, content] = [
      await aBase(client),
      `<!doctype html><html><p>Title</p><p>${'\uFFFD'.repeat(20)}</p></html>`,
    ]
    expect(await readFile(given.api, client, { base, id: 'f', name: 'a.html', content })).toMatchObject(failed)
  })

  it('but not for some bullets and signs', async () => {
    const list = ['\uF0B7 Parcels leave on the same day.', '\uF0B7 Goods may come back \uFFFD for thirty days.']
    const { file, texts } = await read(aPdf([list]), 'parcels')
    expect(file).toMatchObject({ status: 'ready' })
    expect(texts).toHaveLength(1)
  })
})

describe('a footnote number does not stick to its word', () => {
  const mark = (number: string): Piece => [number, 7, 4]
  it.each<[string, readonly Piece[], string]>([
    ['behind a word', [['The word'], mark('1'), [' goes on.']], 'The word 1 goes on.'],
    ['behind a full stop', [['The word ends.'], mark('12')], 'The word ends. 12'],
    ['behind metres', [['word of 12 m'], mark('7')], 'word of 12 m 7'],
    ['behind a year', [['since 2019'], mark('3'), [', word']], 'since 2019 3, word'],
    ['before its note', [mark('4'), ['See the word']], '4 See the word'],
  ])('%s', async (_, pieces, text) => {
    expect((await read(pdfOf([pageOfPieces(...pieces)]), 'word since')).texts).toEqual([text])
  })

  it.each<[string, readonly Piece[], string]>([
    ['at the usual height', [['H2O and m2 word1']], 'H2O and m2 word1'],
    ['that is lowered', [['H'], ['2', 7, -2], ['O and word']], 'H2O and word'],
    ['that is the exponent of a unit', [['12 km'], ['2', 7, 4], [' of word']], '12 km2 of word'],
    ['that is raised and not smaller', [['word'], ['2', 11, 3]], 'word2'],
    ['that is smaller and not raised', [['word'], ['2', 7]], 'word2'],
    ['with letters', [['The word is 1'], ['st', 7, 4], [' of all']], 'The word is 1st of all'],
  ])('and a number or sign %s stays', async (_, pieces, text) => {
    expect((await read(pdfOf([pageOfPieces(...pieces)]), text)).texts).toEqual([text])
  })
})
