import { readWorkbookHead, type Workbook } from './workbook.ts'

/** How a sheet shows a number: as it is, as a day or a time, or with zeros before it. */
export type NumberForm =
  | { readonly kind: 'plain' }
  | { readonly kind: 'time' }
  | { readonly kind: 'zeros'; readonly digits: number }

const plain: NumberForm = { kind: 'plain' }
const time: NumberForm = { kind: 'time' }

/** The longest format that Excel takes. What is longer was made to be hard to read. */
const longestCode = 255

/** The formats of days and times that every workbook has without declaring them. */
const builtInTimes: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
]

/** The form of each cell style of a workbook, by its number. */
export async function numberForms({ parts, styles }: Workbook): Promise<readonly NumberForm[]> {
  const declared = new Map<number, NumberForm>()
  const forms: NumberForm[] = []
  if (styles === null || !parts.has(styles)) return forms
  let isInCells = false
  await readWorkbookHead(parts, styles, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') declared.set(Number(numFmtId), formOf(formatCode))
      if (name === 'cellXfs') isInCells = true
      if (name === 'xf' && isInCells) forms.push(declared.get(Number(numFmtId)) ?? builtIn(Number(numFmtId)))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
    text() {},
  })
  return forms
}

function builtIn(id: number): NumberForm {
  return builtInTimes.some(([first, last]) => id >= first && id <= last) ? time : plain
}

/** The form that a format declares. Many styles can name one format, so each is read once. */
function formOf(code: string): NumberForm {
  if (code.length > longestCode) return plain
  const [positive = ''] = code.split(';')
  if (/^0{2,}$/u.test(positive)) return { kind: 'zeros', digits: positive.length }
  // Words in quotes, single escaped characters and colours are no part of a pattern; [h] counts hours.
  const pattern = positive.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]/giu, '')
  return /[dmyhs]/iu.test(pattern) ? time : plain
}
