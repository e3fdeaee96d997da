import { isObject, wordSchema } from '../../kernel/schema/index.ts'
import { dateFormats } from './cells/date-order.ts'
import { decimalMarks } from './cells/decimal-mark.ts'

/** What becomes of a row of contacts whose company does not exist. */
const missingCompanyRules = ['refuse', 'create', 'leave_out'] as const
/** What becomes of a row with a tag that does not exist. Tags are settings, so none is created. */
const missingTagRules = ['refuse', 'leave_out'] as const
/** What becomes of a row with a cell that is not a value of its field. */
const invalidCellRules = ['refuse_row', 'leave_out'] as const
/** How dates and numbers of the file are read; with auto, all cells of a column decide. */
const dateFormatRules = ['auto', ...dateFormats] as const
const decimalMarkRules = ['auto', ...decimalMarks] as const

/** How an import reads cells, and what it does with those that cannot be applied as they are (contract section 10.3, "Import"). */
export interface StartOptions {
  readonly missingCompany: (typeof missingCompanyRules)[number]
  readonly missingTag: (typeof missingTagRules)[number]
  readonly onInvalidCell: (typeof invalidCellRules)[number]
  readonly dateFormat: (typeof dateFormatRules)[number]
  readonly decimalMark: (typeof decimalMarkRules)[number]
}

/** The members of a start, and of an import, that hold these options. */
export const optionSchemas = {
  dateFormat: {
    component: 'ImportDateFormat',
    type: 'string',
    enum: dateFormatRules,
    default: 'auto',
    description: 'The order of day, month and year in dates of numbers; with auto, all cells of a column decide.',
  },
  decimalMark: {
    component: 'ImportDecimalMark',
    type: 'string',
    enum: decimalMarkRules,
    default: 'auto',
    description: 'The mark before the decimals of numbers; with auto, all cells of a column decide.',
  },
  missingCompany: wordSchema(
    'ImportMissingCompany',
    missingCompanyRules,
    'What becomes of a row of contacts whose company is not there: it is refused, as long as nothing is given; the company is ' +
      'made, which needs `crm_companies_write`; or the row is applied without it.',
  ),
  missingTag: wordSchema(
    'ImportMissingTag',
    missingTagRules,
    'What becomes of a row with a tag that is not there: it is refused, as long as nothing is given, or applied without the tag.',
  ),
  onInvalidCell: wordSchema(
    'ImportInvalidCell',
    invalidCellRules,
    'What becomes of a row with a cell that is not a value of its field: it is refused, as long as nothing is given, or ' +
      'applied without the cell.',
  ),
}

/** The options of a request or of a stored import; those that are missing refuse the row, and let each column decide. */
export function startOptions(given: unknown): StartOptions {
  const { missingCompany, missingTag, onInvalidCell, dateFormat, decimalMark } = isObject(given) ? given : {}
  return {
    missingCompany: missingCompanyRules.find(rule => rule === missingCompany) ?? 'refuse',
    missingTag: missingTagRules.find(rule => rule === missingTag) ?? 'refuse',
    onInvalidCell: invalidCellRules.find(rule => rule === onInvalidCell) ?? 'refuse_row',
    dateFormat: dateFormatRules.find(rule => rule === dateFormat) ?? 'auto',
    decimalMark: decimalMarkRules.find(rule => rule === decimalMark) ?? 'auto',
  }
}
