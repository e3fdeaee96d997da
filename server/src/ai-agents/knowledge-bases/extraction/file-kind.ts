import { firstBytesOf, PackageParts, UnreadableFile } from '../../../kernel/documents/index.ts'

/** The kinds of files that have text for a knowledge base, with their media types. */
export const mediaTypes = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  md: 'text/markdown',
  csv: 'text/csv',
  txt: 'text/plain',
} as const

export type FileKind = keyof typeof mediaTypes

const headBytes = 4096
const zip = Buffer.from('PK\u0003\u0004', 'latin1')
// There is one way to match each comment: with more, many of them would be tried in every combination.
const html = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->)*(?:<!doctype\s+html|<html[\s>])/iu
const endings: Readonly<Record<string, FileKind>> = { html: 'html', htm: 'html', md: 'md', markdown: 'md', csv: 'csv' }

/**
 * The kind of a file by its content; null for one that has no text. Its name only tells texts apart, of which Markdown and
 * CSV look like any other.
 */
export async function kindOfFile(path: string, name: string): Promise<FileKind | null> {
  const head = await firstBytesOf(path, headBytes)
  const ending = /\.([a-z]+)$/iu.exec(name)?.[1]?.toLowerCase() ?? ''
  if (head.subarray(0, 1024).includes('%PDF-')) return 'pdf'
  if (head.subarray(0, zip.length).equals(zip)) return kindOfArchive(path, ending)
  const text = asText(head)
  if (text === null) return null
  return html.test(text) ? 'html' : (endings[ending] ?? 'txt')
}

/** A document or a workbook. One that cannot be unpacked is what its name says, so that its record tells what is wrong. */
async function kindOfArchive(path: string, ending: string): Promise<FileKind | null> {
  try {
    const parts = await PackageParts.open(path)
    try {
      if (parts.has('word/document.xml')) return 'docx'
      return parts.has('xl/workbook.xml') ? 'xlsx' : null
    } finally {
      parts.close()
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return ending === 'docx' || ending === 'xlsx' ? ending : null
  }
}

/** The beginning as characters, in UTF-16 if it has its mark; null if it has what stands in no text. */
function asText(head: Buffer): string | null {
  const [one, two] = head
  const isWide = (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff)
  const text = new TextDecoder(isWide ? (one === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(head)
  return /[^\P{Cc}\t\n\f\r]/u.test(text) ? null : text
}
