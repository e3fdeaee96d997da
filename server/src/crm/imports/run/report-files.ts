import { safeCsvCell } from '../../../kernel/documents/index.ts'
import type { FilePurpose, KeptFile } from '../../../kernel/files/index.ts'
import { type JobSurroundings, type Kinds, unattended } from '../../../kernel/index.ts'
import { isObject, type JsonObject } from '../../../kernel/schema/index.ts'
import type { Statement } from '../../../kernel/sql/index.ts'
import { linksOf } from '../fields/entity-types.ts'
import type { ImportRow } from '../import.ts'
import { selectErrors, selectOutcomes } from '../imports.sql.ts'

/** The files that report the outcome of an import; null where there is nothing to report. */
export interface ReportFiles {
  readonly errors: KeptFile | null
  readonly rows: KeptFile | null
}

const errorsAtOnce = 1000
const chunksAtOnce = 100
const errorColumns = ['row', 'column', 'field', 'code', 'message', 'outcome']

/**
 * Writes both report files of an import, in the order of its rows. They contain positions, reasons and ids of records, and quote nothing
 * from the uploaded file but the column names, so they hold no personal data.
 */
export async function keepReportFiles(row: ImportRow, surroundings: JobSurroundings): Promise<ReportFiles> {
  const errors = await keepCsv('import_errors', errorColumns, errorPages(row.id, surroundings), row, surroundings)
  const columns = columnsOfRows(row, surroundings.services)
  const rows = await keepCsv('import_rows', columns, rowPages(row.id, surroundings), row, surroundings)
  return { errors, rows }
}

/** The columns of the file of rows: those of `RowCells` come between the line and the outcome. */
function columnsOfRows({ entity_type: type }: ImportRow, kinds: Kinds): readonly string[] {
  const links = linksOf(type, kinds)?.links
  const cells = links === undefined ? ['uuid', 'matchedBy'] : [`${links.owner.kind}Uuid`, `${links.targetKind}Uuid`]
  return ['row', ...cells, 'outcome']
}

async function keepCsv(
  purpose: FilePurpose & `import_${string}`,
  columns: readonly string[],
  pages: AsyncGenerator<string, void>,
  { file_name: fileName }: ImportRow,
  { organizationId, services }: JobSurroundings,
): Promise<KeptFile | null> {
  const first = await pages.next()
  if (first.done === true) return null
  const name = `${fileName.replace(/\.[^.]*$/u, '')}-${purpose.slice('import_'.length)}.csv`
  const chunks = async function* () {
    yield Buffer.from(`${columns.join(',')}\r\n${first.value}`)
    for await (const page of pages) yield Buffer.from(page)
  }
  return services.files.keep({ organizationId, purpose, name, mediaType: 'text/csv', source: { chunks: chunks() } })
}

/** People open the file in spreadsheets, and the name of a column may begin like a formula. */
async function* errorPages(importId: string, surroundings: JobSurroundings) {
  for (let after = [0, -1]; ; ) {
    const rows = await selectPage(selectErrors, [importId, ...after, errorsAtOnce], surroundings)
    const last = rows.at(-1)
    if (last === undefined) return
    const errors = rows.map(({ error }) => error).filter(isObject)
    yield errors
      .map(error => ({ outcome: 'failed', ...error }))
      .map(
        (error: JsonObject) => `${errorColumns.map(column => safeCsvCell(String(error[column] ?? ''))).join(',')}\r\n`,
      )
      .join('')
    after = [Number(last.line), Number(last.number)]
  }
}

async function* rowPages(importId: string, surroundings: JobSurroundings) {
  for (let after = 0; ; ) {
    const rows = await selectPage(selectOutcomes, [importId, after, chunksAtOnce], surroundings)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ outcomes }) => String(outcomes)).join('')
    after = Number(last.line)
  }
}

function selectPage(page: Statement, values: readonly unknown[], { organizationId, services }: JobSurroundings) {
  return services.database.query(page, [organizationId, ...values], unattended(organizationId))
}
