import { readWorkbookHead, type Workbook } from './workbook.ts'

/** How a sheet shows a number: unchanged, as a day or a time, or with leading zeros. */
export type NumberForm =
  | { readonly kind: 'plain' }
  | { readonly kind: 'time' }
  | { readonly kind: 'zeros'; readonly digits: number }

const plain: NumberForm = { kind: 'plain' }
const time: NumberForm = { kind: 'time' }

/** The longest format that Excel accepts. A longer one was made to be slow to parse. */
const longestCode = 255

/** The numbers of the built-in formats of days and times, which workbooks do not declare. */
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
  })
  return forms
}

function builtIn(id: number): NumberForm {
  return builtInTimes.some(([first, last]) => id >= first && id <= last) ? time : plain
}

/** The form that a format code declares. Many styles can use one code, so each is parsed once. */
function formOf(code: string): NumberForm {
  if (code.length > longestCode) return plain
  const [positive = ''] = code.split(';')
  if (/^0{2,}$/u.test(positive)) return { kind: 'zeros', digits: positive.length }
  // Quoted words, escaped characters and colours are not part of a pattern; [h] counts hours.
  const pattern = positive.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]/giu, '')
  return /[dmyhs]/iu.test(pattern) ? time : plain
}
