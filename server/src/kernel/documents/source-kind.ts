import { open } from 'node:fs/promises'
import { UnreadableFile } from './unreadable-file.ts'

const headBytes = 4096

/** The first bytes of files of other types. They count more than the name of the file. */
const zipHead = Buffer.from('PK\u0003\u0004', 'latin1')
const compoundHead = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Text files that are no tables, by how they begin after a byte order mark, and the message for each. */
const otherTexts: readonly { readonly begins: RegExp; readonly message: string }[] = [
  {
    begins: /^BEGIN:VCARD/iu,
    message:
      'The file is made of vCards: export the contacts as CSV, or open the cards in an address book and export its table',
  },
  { begins: /^%PDF/u, message: 'The file is a PDF: export the table behind it as CSV or XLSX' },
  { begins: /^(?:<!doctype|<html|<table)/iu, message: 'The file is an HTML page: save its table as CSV or XLSX' },
  { begins: /^<\?xml/iu, message: 'The file is XML: save its table as CSV or XLSX' },
  { begins: /^\{\\rtf/u, message: 'The file is a document: save its table as CSV or XLSX' },
  { begins: /^[{[]/u, message: 'The file is JSON: send its records to the batch routes, or save them as CSV' },
]

/**
 * Whether a file is a workbook or a text table, decided by its content; names and media types do not count. Throws `UnreadableFile` for any
 * other file.
 */
export async function sourceKind(path: string): Promise<'csv' | 'xlsx'> {
  const head = await firstBytesOf(path, headBytes)
  if (head.length === 0) throw new UnreadableFile('not_a_table', 'The file is empty')
  if (head.subarray(0, zipHead.length).equals(zipHead)) return 'xlsx'
  if (head.subarray(0, compoundHead.length).equals(compoundHead))
    throw new UnreadableFile(
      'protected',
      'The workbook has a password or is of an old form: save it as XLSX without one',
    )
  const beginning = head
    .toString('utf8')
    .replace(/^\uFEFF/u, '')
    .trimStart()
  const other = otherTexts.find(({ begins }) => begins.test(beginning))
  if (other !== undefined) throw new UnreadableFile('not_a_table', other.message)
  return 'csv'
}

export function noTable(): UnreadableFile {
  return new UnreadableFile('not_a_table', 'The file is neither a text table nor a workbook: send CSV or XLSX')
}

/** The first bytes of a file. */
export async function firstBytesOf(path: string, most: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
