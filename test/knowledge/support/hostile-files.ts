import { deflateSync } from 'node:zlib'
import { expect } from 'vitest'
import { knowledgeBounds } from '../../../server/src/ai-agents/knowledge-bases/knowledge-bounds.ts'
import { bounds, limits } from '../../../server/src/kernel/index.ts'
import { archive, workbookParts } from '../../conformance/support/workbooks.ts'
import { aDocument, documentOf, pdfOf } from './documents.ts'

/** A file whose text cannot be had, and the code of the reason. */
export interface HostileFile {
  readonly about: string
  readonly name: string
  content(): string | Buffer
  readonly code: string
}

const mebibyte = 1024 * 1024

/** A PDF whose one page has this stream again and again. */
function repeated(stream: Buffer, times: number): Buffer {
  const pdf = pdfOf([stream], '', '/Filter /FlateDecode').toString('latin1')
  return Buffer.from(pdf.replace('/Contents 8 0 R', `/Contents [${'8 0 R '.repeat(times)}]`), 'latin1')
}

const zipBomb = (content: Buffer, declared?: number) =>
  archive([{ name: 'word/document.xml', content, ...(declared === undefined ? {} : { declared }) }])

/** A workbook whose sheet is this. */
const aBook = (sheet: Buffer) => {
  const parts = workbookParts({ rows: [] }).filter(({ name }) => name !== 'xl/worksheets/sheet1.xml')
  return archive([...parts, { name: 'xl/worksheets/sheet1.xml', content: sheet }])
}

const protectedBy = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<00> <00>]`

/** Memory ends it, or time where the machine is busy. */
const tooMuch = expect.stringMatching(/^too_(?:large|slow)$/u)

export const hostileFiles: readonly HostileFile[] = [
  { about: 'a PDF with a password', name: 'a.pdf', content: () => pdfOf(['BT ET'], protectedBy), code: 'protected' },
  { about: 'a PDF of pictures', name: 'a.pdf', content: () => pdfOf(['q 100 0 0 100 0 0 cm Q']), code: 'no_text' },
  { about: 'a cut PDF', name: 'a.pdf', content: () => '%PDF-1.7\n1 0 obj <<', code: 'damaged' },
  {
    about: 'a PDF that grows a thousandfold',
    name: 'a.pdf',
    content: () => repeated(deflateSync(Buffer.alloc(8 * mebibyte, ' ')), 400),
    code: tooMuch,
  },
  { about: 'a cut DOCX', name: 'a.docx', content: () => aDocument(['text']).subarray(0, 200), code: 'damaged' },
  {
    about: 'a DOCX that grows a thousandfold',
    name: 'a.docx',
    content: () => zipBomb(Buffer.alloc(bounds.workbookPart.most + 1, ' ')),
    code: 'too_large',
  },
  {
    about: 'a DOCX that hides how it grows',
    name: 'a.docx',
    content: () => zipBomb(Buffer.alloc(64 * mebibyte, ' '), 100),
    code: 'damaged',
  },
  {
    about: 'a DOCX with a document type',
    name: 'a.docx',
    content: () => documentOf('<w:p/>', '<!DOCTYPE x [<!ENTITY a "b">]>'),
    code: 'damaged',
  },
  { about: 'a DOCX without words', name: 'a.docx', content: () => documentOf('<w:p/>'), code: 'no_text' },
  { about: 'deep elements', name: 'a.docx', content: () => documentOf('<w:p>'.repeat(100_000)), code: 'damaged' },
  {
    about: 'an XLSX that grows a thousandfold',
    name: 'a.xlsx',
    content: () => aBook(Buffer.alloc(bounds.workbookPart.most + 1, ' ')),
    code: 'too_large',
  },
  { about: 'deep HTML', name: 'a.html', content: () => `<html>${'<div>'.repeat(2_000_000)}`, code: 'too_deep' },
  {
    about: 'Markdown that is quoted without end',
    name: 'a.md',
    content: () => '> '.repeat(2_000_000),
    code: 'no_text',
  },
  { about: 'nothing', name: 'a.txt', content: () => '', code: 'no_text' },
  { about: 'blank space', name: 'a.csv', content: () => '\n\n\n', code: 'no_text' },
  {
    about: 'a table with too many columns',
    name: 'a.csv',
    content: () => `${'x,'.repeat(300)}\n`,
    code: 'too_many_columns',
  },
  {
    about: 'too many rows',
    name: 'a.csv',
    content: () => `n\n${'1\n'.repeat(knowledgeBounds.knowledgePassages.most + 1)}`,
    code: 'too_many_passages',
  },
  {
    about: 'too much text',
    name: 'a.csv',
    content: () => `${'n'.repeat(1000)}\n${'1\n'.repeat(35_000)}`,
    code: 'too_much_text',
  },
  {
    about: 'the largest text on one line',
    name: 'a.txt',
    content: () => Buffer.alloc(limits.knowledgeFileBytes, '"'),
    code: 'too_much_text',
  },
  {
    about: 'the largest table on one line',
    name: 'a.csv',
    content: () => Buffer.alloc(limits.knowledgeFileBytes, 'x,'),
    code: 'too_large',
  },
]
