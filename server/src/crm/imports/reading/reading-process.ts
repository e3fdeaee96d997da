import { findForm, openTable, type WantedForm } from '../../../kernel/documents/index.ts'
import { type SandboxRequest, serveSandbox } from '../../../kernel/sandbox/index.ts'
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
  | { readonly kind: 'survey'; readonly wish: SurveyWish }
  | { readonly kind: 'rows'; readonly form: KnownForm }

serveSandbox(read)

async function read({ source: path, result, task }: SandboxRequest<ReadingTask>): Promise<unknown> {
  if (task.kind === 'rows') {
    const { rows } = await openTable(path, task.form.source, task.form.headerRow)
    return writeRows(result, rows)
  }
  if (task.kind === 'form') return findForm(path, {})
  const { wish } = task
  const source = await findForm(path, wish)
  const table = await openTable(path, source, wish.headerRow)
  const form: KnownForm = { source, headerRow: wish.headerRow, header: table.header }
  return { ...(await survey(table, wish.sampleSize)), form }
}
