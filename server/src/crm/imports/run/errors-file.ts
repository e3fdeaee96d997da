import { safeCsvCell } from '../../../kernel/documents/index.ts'
import type { KeptFile } from '../../../kernel/files/index.ts'
import { type JobContext, unattended } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/schema/index.ts'
import type { ImportRow } from '../import.ts'
import { selectErrors } from '../imports.sql.ts'

const portion = 1000
const columns = ['row', 'column', 'field', 'code', 'message']

/**
 * Writes the file with all errors of an import, in the order of its rows; null if there are none. It says where and why,
 * and quotes nothing of the file but the names of its columns, so that it holds no data of persons. People open it in spreadsheets,
 * and such a name may begin like a formula.
 */
export async function keepErrorsFile(
  { id, file_name: fileName }: ImportRow,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<KeptFile | null> {
  const pages = errorPages(id, organizationId, services)
  const first = await pages.next()
  if (first.done === true) return null
  const name = `${fileName.replace(/\.[^.]*$/u, '')}-errors.csv`
  const chunks = async function* () {
    yield Buffer.from(`${columns.join(',')}\r\n${first.value}`)
    for await (const page of pages) yield Buffer.from(page)
  }
  return services.files.keep({
    organizationId,
    purpose: 'import_errors',
    name,
    mediaType: 'text/csv',
    source: { chunks: chunks() },
  })
}

async function* errorPages(importId: string, organizationId: string, { database }: JobContext['services']) {
  for (let after = [0, -1]; ; ) {
    const values = [organizationId, importId, ...after, portion]
    const rows = await database.query(selectErrors, values, unattended(organizationId))
    const last = rows.at(-1)
    if (last === undefined) return
    const errors = rows.map(({ error }) => error).filter(isObject)
    yield errors
      .map(error => `${columns.map(column => safeCsvCell(String(error[column] ?? ''))).join(',')}\r\n`)
      .join('')
    after = [Number(last.line), Number(last.number)]
  }
}
