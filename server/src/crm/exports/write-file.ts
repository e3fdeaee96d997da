import { type FiledRows, type RecordColumn, tagNames } from '../../kernel/columns/index.ts'
import { csvCell, safeCsvCell } from '../../kernel/documents/index.ts'
import type { KeptFile } from '../../kernel/files/index.ts'
import { erasuresSeen, type Pace, type Services, unattended } from '../../kernel/index.ts'
import type { Export } from './export.ts'
import { conditionsOf } from './filters.ts'
import { BytesNotTaken, TextFlow } from './text-flow.ts'

/** A stored file, and the state of the organization in the snapshot that it contains. */
export interface ExportFile {
  readonly file: KeptFile
  readonly rows: number
  /** The number of erased persons at the time of the snapshot. */
  readonly erasures: number
}

interface Writing {
  readonly asked: Export
  readonly rows: FiledRows
  readonly organizationId: string
  readonly services: Pick<Services, 'database' | 'configurations' | 'files'>
  readonly pace: Pace
  /** Called after each portion with the number of rows written and the total. If it throws, the export is abandoned. */
  onPart(written: number, total: number): Promise<void>
}

/** Writes the file of an export into the store: all rows in one snapshot. If it throws, nothing is stored. */
export async function writeFile({ asked, rows, organizationId, services, pace, onPart }: Writing): Promise<ExportFile> {
  const configuration = await services.configurations.fresh(unattended(organizationId))
  const selection = {
    organization: configuration.organization,
    applicationId: asked.applicationId,
    conditions: conditionsOf(asked.filters, rows.owner),
  }
  return services.database.long('export', async transaction => {
    const erasures = await erasuresSeen(transaction, organizationId)
    const tags = await tagNames(transaction, organizationId)
    const columns = rows
      .columns({ configuration, tags })
      .filter(({ projection }) => projection === undefined || !asked.redacted.includes(projection))
    const counted = rows.count(selection)
    const total = Number((await transaction.query(counted.statement, counted.values))[0]?.count)
    const csv = new Csv(columns, asked.csvSafe)
    const flow = new TextFlow(csv.header(), {
      line: row => csv.line(row),
      onPart: written => onPart(written, total),
      pace,
    })
    const source = { chunks: flow.bytes }
    const about = { organizationId, purpose: 'export', name: asked.fileName, mediaType: 'text/csv' } as const
    const kept = services.files.keep({ ...about, source })
    kept.catch(error => flow.fail(error))
    const selected = rows.select(columns, selection)
    const filled = transaction
      .query(selected.statement, selected.values, flow)
      .then(() => flow.end())
      .catch(error => {
        flow.fail(error)
        throw error
      })
    // Wait for both before the connection is released, whichever fails first.
    const [filling, keeping] = await Promise.allSettled([filled, kept])
    if (keeping.status === 'rejected' && (filling.status === 'fulfilled' || filling.reason instanceof BytesNotTaken))
      throw keeping.reason
    await filled
    return { file: await kept, rows: flow.rows, erasures }
  })
}

/** Makes the lines of a file of comma-separated values (RFC 4180). */
class Csv {
  readonly #columns: readonly RecordColumn[]
  readonly #cell: (text: string) => string

  /** `isSafe`: an apostrophe precedes texts that a spreadsheet would evaluate as formulas. Such a file cannot be imported unchanged. */
  constructor(columns: readonly RecordColumn[], isSafe: boolean) {
    this.#columns = columns
    this.#cell = isSafe ? safeCsvCell : csvCell
  }

  header(): string {
    return `${this.#columns.map(({ key }) => csvCell(key)).join(',')}\r\n`
  }

  line(record: Readonly<Record<string, unknown>>): string {
    let line = ''
    let separator = ''
    for (const column of this.#columns) {
      line += separator + this.#cell(column.text(record))
      separator = ','
    }
    return `${line}\r\n`
  }
}
