import { examineForm, findForm, openTable, type SourceForm, type WantedForm } from '../../../kernel/documents/index.ts'
import { type SandboxRequest, serveSandbox } from '../../../kernel/sandbox/index.ts'
import type { DecimalMark } from '../cells/decimal-mark.ts'
import type { EntityType } from '../fields/entity-types.ts'
import type { KnownForm } from '../import.ts'
import { writeRows } from './rows-file.ts'
import { survey } from './survey.ts'

/** The options of a survey. */
export interface SurveyWish extends WantedForm {
  readonly headerRow: number
  readonly sampleSize: number
}

/** The task for an uploaded file: check whether it is a table, survey it, or write its rows. */
export type ReadingTask =
  | { readonly kind: 'form' }
  | { readonly kind: 'survey'; readonly type: EntityType; readonly wish: SurveyWish }
  | { readonly kind: 'rows'; readonly form: KnownForm }

serveSandbox(read)

async function read({ source: path, result, task }: SandboxRequest<ReadingTask>): Promise<unknown> {
  if (task.kind === 'rows') {
    const { rows } = await openTable(path, task.form.source, task.form.headerRow)
    return writeRows(result, rows)
  }
  if (task.kind === 'form') return findForm(path, {})
  const { type, wish } = task
  const { sampleSize, headerRow } = wish
  const { form: source, guess } = await examineForm(path, wish)
  const table = await openTable(path, source, headerRow)
  const options = { type, sampleSize, guess, mayHaveTitle: headerRow === 1, usualMark: usualMarkOf(source) }
  const { readings, ...surveyed } = await survey(table, options)
  const form: KnownForm = { source, headerRow, header: table.header, readings }
  return { ...surveyed, form }
}

/**
 * The decimal mark of columns whose cells do not decide: a point, as in workbooks and in tables with commas between their cells. Programs
 * write semicolons where a comma is the decimal mark, so such a table has none.
 */
function usualMarkOf(source: SourceForm): DecimalMark | null {
  return source.kind === 'csv' && source.delimiter === ';' ? null : '.'
}
