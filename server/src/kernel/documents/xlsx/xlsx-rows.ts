import { bounds } from '../../limits/bounds.ts'
import { parseXml } from '../open-xml/parse-xml.ts'
import type { SourceRow } from '../source-row.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { numberForms } from './number-formats.ts'
import { readSharedTexts } from './shared-texts.ts'
import { SheetReader } from './sheet-reader.ts'
import { openWorkbook } from './workbook.ts'

/** The names of the visible sheets, in order. */
export async function sheetNames(path: string): Promise<readonly string[]> {
  const { parts, sheets } = await openWorkbook(path)
  parts.close()
  return sheets.map(({ name }) => name)
}

/**
 * The rows of one sheet of a workbook, one after another; of the first sheet if no name is given. The sheet is read while it is unpacked,
 * so only its shared texts are in memory. Throws `UnreadableFile` for a workbook that is damaged or exceeds a bound.
 */
export async function* xlsxRows(path: string, sheetName: string | null): AsyncGenerator<SourceRow> {
  const workbook = await openWorkbook(path)
  try {
    const sheet = workbook.sheets.find(({ name }) => sheetName === null || name === sheetName)
    if (sheet === undefined) throw new UnreadableFile('unknown_sheet', 'The workbook has no sheet of this name')
    const reader = new SheetReader({
      texts: await readSharedTexts(workbook),
      forms: await numberForms(workbook),
      countsFrom1904: workbook.countsFrom1904,
    })
    const xml = parseXml(workbook.parts.read(sheet.part, bounds.workbookPart.most), reader)
    for await (const _ of xml) yield* reader.take()
  } finally {
    workbook.parts.close()
  }
}
