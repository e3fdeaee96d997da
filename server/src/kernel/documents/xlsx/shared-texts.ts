import { bounds } from '../../limits/bounds.ts'
import { problemOf, type TextProblem } from '../checked-row.ts'
import { parseXml } from '../open-xml/parse-xml.ts'
import { grown, unescaped } from './cell-text.ts'
import type { Workbook } from './workbook.ts'

/** A text that cells refer to by number. It is checked once, however many cells have it. */
export interface SharedText {
  readonly text: string
  readonly problem: TextProblem | null
}

/**
 * The texts that cells refer to. They are in memory while a sheet is read. A text that is too long for a cell is cut to one character more
 * than the limit: the cell is still refused, and many cells with one long text cost little.
 */
export async function readSharedTexts({ parts, sharedTexts }: Workbook): Promise<readonly SharedText[]> {
  const texts: SharedText[] = []
  if (sharedTexts === null || !parts.has(sharedTexts)) return texts
  let text = ''
  let isText = false
  let isReading = false
  const xml = parseXml(parts.read(sharedTexts, bounds.workbookTexts.most), {
    open(name) {
      if (name === 'si') text = ''
      isText = name === 't' && !isReading
      // The phonetic reading of Japanese words is a separate element.
      if (name === 'rPh') isReading = true
    },
    close(name) {
      if (name === 'si') texts.push(checked(unescaped(text).slice(0, bounds.importCell.most + 1)))
      if (name === 'rPh') isReading = false
      isText = false
    },
    text(piece) {
      if (isText) text = grown(text, piece)
    },
  })
  for await (const _ of xml);
  return texts
}

function checked(text: string): SharedText {
  return { text, problem: problemOf(text) }
}
