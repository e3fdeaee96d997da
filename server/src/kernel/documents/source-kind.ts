import { open } from 'node:fs/promises'
import { UnreadableFile } from './unreadable-file.ts'

const headBytes = 4096

/** The first bytes of files that are taken for something else than a table, whatever their names say. */
const zipHead = Buffer.from('PK\u0003\u0004', 'latin1')
const compoundHead = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const otherTexts = /^\s*(?:<!doctype|<html|<\?xml|%PDF|\{\\rtf|\{|\[)/iu

/**
 * Whether a file is a workbook or a text table, by its content; names and media types do not count. Throws
 * `UnreadableFile` for everything else.
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
  if (otherTexts.test(head.toString('latin1'))) throw noTable()
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
