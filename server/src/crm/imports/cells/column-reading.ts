import { DateEvidence, type DateFormat, type DateOrders, isDateOrders, numericDate } from './date-order.ts'
import { type DecimalMark, decimalMarks, NumberEvidence } from './decimal-mark.ts'
import { isNullWord } from './null-words.ts'
import { writtenNumber } from './read-number.ts'

/** How the dates and numbers of a column are written, as far as its cells decide. */
export interface ColumnReading {
  readonly orders: DateOrders
  readonly mark: DecimalMark | null
}

/** The reading of a text that is in no column, such as a default: numbers have a point, as in requests. */
export const unsurveyed: ColumnReading = { orders: {}, mark: '.' }

/** Validates a reading that was stored or that another process returned. */
export function isColumnReading(value: unknown): value is ColumnReading {
  if (typeof value !== 'object' || value === null || !('orders' in value) || !('mark' in value)) return false
  return isDateOrders(value.orders) && (value.mark === null || decimalMarks.some(each => each === value.mark))
}

const longest = 60
/** Two numbers with a mark between them: all other cells are certain or neither date nor number. */
const marked = /\d[.,/-]\d/u

/** Collects what all cells of a column say about it, in a few bytes. */
export class ColumnEvidence {
  readonly #dates = new DateEvidence()
  readonly #numbers: NumberEvidence
  #hasNullWords = false

  constructor(usualMark: DecimalMark | null) {
    this.#numbers = new NumberEvidence(usualMark)
  }

  add(cell: string): void {
    if (cell.length > longest) return
    if (isNullWord(cell)) this.#hasNullWords = true
    if (!marked.test(cell)) return
    const text = cell.trim()
    const [day = ''] = text.split(/[\sT]/u, 1)
    const date = numericDate(day.replace(/,$/u, ''))
    if (date !== null) this.#dates.add(date)
    const number = date === null ? writtenNumber(text) : null
    if (number !== null) this.#numbers.add(number.readings)
  }

  get reading(): ColumnReading {
    return { orders: this.#dates.orders, mark: this.#numbers.mark }
  }

  get hasNullWords(): boolean {
    return this.#hasNullWords
  }

  get suggestedDateFormat(): DateFormat | null {
    return this.#dates.suggested
  }

  get hasDoubtfulDates(): boolean {
    return this.#dates.isDoubtful
  }

  get hasDoubtfulNumbers(): boolean {
    return this.#numbers.isDoubtful
  }
}
