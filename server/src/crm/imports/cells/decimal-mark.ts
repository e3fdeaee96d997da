/** The mark before the decimals of a number. */
export const decimalMarks = ['.', ','] as const
export type DecimalMark = (typeof decimalMarks)[number]

/** The number that digits and marks are, for each decimal mark with which they are one: `1234.5`. */
export type NumberReadings = Readonly<Partial<Record<DecimalMark, string>>>

const thousands = /^[1-9]\d{0,2}([\s.,'’])\d{3}(?:\1\d{3})*$/u
/** As in India: 12,34,567. */
const lakhs = /^[1-9]\d?(?:,\d{2})+,\d{3}$/u

/** Parses digits with marks and spaces between them. */
export function numberReadings(text: string): NumberReadings {
  const readings = decimalMarks.map(mark => [mark, readWith(mark, text)] as const)
  return Object.fromEntries(readings.filter(([, number]) => number !== null))
}

function readWith(mark: DecimalMark, text: string): string | null {
  const [whole = '', decimals = null, ...others] = text.split(mark)
  if (others.length > 0 || (decimals !== null && !/^\d+$/u.test(decimals))) return null
  if (!/^\d+$/u.test(whole) && !thousands.test(whole) && !lakhs.test(whole)) return null
  const digits = whole.replace(/\D/gu, '').replace(/^0+(?=\d)/u, '')
  return decimals === null ? digits : `${digits}.${decimals}`
}

/** Collects which decimal mark the numbers of a column have. */
export class NumberEvidence {
  readonly #usual: DecimalMark | null
  readonly #marks = new Set<DecimalMark>()
  #hasUnclear = false

  /** `usual` is the mark of the file unless a number of the column has another one. */
  constructor(usual: DecimalMark | null) {
    this.#usual = usual
  }

  add(readings: NumberReadings): void {
    const { '.': point, ',': comma } = readings
    if (point === comma) return
    if (point !== undefined && comma !== undefined) this.#hasUnclear = true
    else this.#marks.add(point === undefined ? ',' : '.')
  }

  /** The mark that decides; null if no number does, or if they contradict each other. */
  get mark(): DecimalMark | null {
    const [mark = this.#usual, other] = this.#marks
    return other === undefined ? mark : null
  }

  /** Whether there are numbers of which the mark is open. */
  get isDoubtful(): boolean {
    return this.#hasUnclear && this.mark === null
  }
}
