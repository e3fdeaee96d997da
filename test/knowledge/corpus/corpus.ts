import { aDocument, aPage, aPdf, aSheet } from '../support/documents.ts'

/** A file of the quality set: its pages, its rows or its paragraphs. The ending of the name says what is made of them. */
export interface CorpusFile {
  readonly name: string
  readonly pages?: readonly (readonly string[])[]
  readonly rows?: readonly (readonly string[])[]
  readonly lines?: readonly string[]
}

/** A question, the file that answers it, and what the passage with the answer holds. */
export type Question = readonly [question: string, file: string, answer: string]

/** The bytes of the file. */
export function contentOf({ name, pages = [], rows = [], lines = [] }: CorpusFile): string | Uint8Array {
  if (name.endsWith('.pdf')) return aPdf(pages)
  if (name.endsWith('.docx')) return aDocument(lines)
  if (name.endsWith('.xlsx')) return aSheet(rows)
  if (name.endsWith('.html')) return aPage(lines)
  if (name.endsWith('.csv')) return rows.map(row => row.map(cell => `"${cell}"`).join(',')).join('\r\n')
  return lines.join('\n\n')
}
