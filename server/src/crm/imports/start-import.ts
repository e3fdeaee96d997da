import { tagNames } from '../../kernel/columns/index.ts'
import { type Operation, type Request, refusalOfErasure, type Services, startedFor } from '../../kernel/index.ts'
import { Refusal, unprocessable } from '../../kernel/schema/index.ts'
import { actionRow } from '../../kernel/write/index.ts'
import { type ColumnReading, unsurveyed } from './cells/column-reading.ts'
import { countryNames } from './cells/country-names.ts'
import { type DateFormat, sameOrder } from './cells/date-order.ts'
import type { DecimalMark } from './cells/decimal-mark.ts'
import { changeImport, missingImport, refuseDropped, refuseStatus } from './change-import.ts'
import { mappedColumns, refuseInput, wrongDefaults } from './check-start.ts'
import { fieldsOf, type ImportField } from './fields/import-fields.ts'
import { type ImportRow, isOpen, type KnownForm, type MappedColumn, noCounters, scopesOfStart } from './import.ts'
import { importOperation } from './import-operation.ts'
import { importJob } from './run/import-job.ts'
import { startBody, startInput } from './start-body.ts'
import { findImport, surveyImport } from './survey-import.ts'

/** `POST /imports/:id/start`: applies the rows of the file in the background (contract section 10.3). */
export const startImport: Operation = importOperation({
  id: 'imports.start',
  method: 'POST',
  path: '/api/v1/crm/imports/{id}/start',
  summary: 'Start an import',
  description:
    'The rows are applied in the background, in their order. A row with an error changes nothing, and the others are ' +
    'applied. The file is read as its last preview has read it.',
  success: [202],
  body: startBody,
  refuses: [
    missingImport,
    refusalOfErasure,
    [
      'unprocessable',
      'The import was started already, its file is kept no more or cannot be read, or `mapping` and `defaults` do not fit its columns and fields.',
    ],
  ],
  valueScopes(body) {
    return scopesOfStart(startInput(body))
  },
  execute: start,
})

async function start(request: Request, services: Services) {
  const { actor, reader, body, caller } = request
  const input = startInput(body)
  const known = await findImport(request, services)
  const prepared = known === null ? null : await prepare(known, request, services)
  const configuration = await services.configurations.fresh(reader)
  const { database } = services
  const countries = 'address.country' in input.defaults ? await countryNames() : new Map()
  const tags = await tagNames({ query: (asked, values) => database.query(asked, values, reader) }, actor.organizationId)
  const started = startedFor(caller.credential)
  return changeImport(request, services, (row, write) => {
    const fields = fieldsOf(row.entity_type, { configuration, tags, kinds: services })
    const refused = refuseInput(input, row.entity_type, fields)
    if (refused !== null) return refused
    if (!isOpen(row)) return refuseStatus(row.status, 'started')
    if (row.file_id === null) return refuseDropped(row.status)
    if (prepared === null || prepared instanceof Refusal) return prepared ?? refuseStatus(row.status, 'started')
    const { form, rowCount } = prepared
    const { columns, issues } = mappedColumns(input.mapping, form.header)
    const all = [...issues, ...wrongDefaults(input.defaults, fields, countries)]
    if (all.length > 0) return unprocessable(all)
    const changed = {
      status: 'queued',
      form,
      row_count: rowCount,
      mapping: input.mapping,
      columns: withReadings(columns, { fields, form, options: input.options }),
      dedup_policy: input.policy,
      defaults: input.defaults,
      dry_run: input.dryRun,
      options: input.options,
      token_id: started.tokenId,
      started_by: started.startedBy,
      manages_custom_fields: caller.scopes.has('crm_custom_fields_manage'),
      counters: { ...noCounters, total: rowCount, pending: rowCount },
    } as const
    return {
      status: 202,
      changed,
      rows: [actionRow({ resourceType: 'import', resourceId: row.id, action: 'import.started', version: null }, write)],
      jobs: [importJob.request(row.id)],
    }
  })
}

/** The format of the file and the number of its rows: as the last preview has detected them, or from reading it now. */
async function prepare(row: ImportRow, request: Request, services: Services) {
  const { form, row_count: rowCount } = row
  if (!isOpen(row)) return null
  if (form !== null && rowCount !== null) return { form, rowCount }
  return surveyImport(row, { headerRow: 1, sampleSize: 1 }, request, services)
}

/** How a start wants dates and numbers to be read; with auto, each column decides. */
interface WantedReading {
  readonly dateFormat: DateFormat | 'auto'
  readonly decimalMark: DecimalMark | 'auto'
}

interface StartedFile {
  readonly fields: readonly ImportField[]
  readonly form: KnownForm
  readonly options: WantedReading
}

/** The mapped columns, with the reading of those whose fields are dates or numbers. */
function withReadings(
  columns: Readonly<Record<string, MappedColumn>>,
  { fields, form, options }: StartedFile,
): Readonly<Record<string, MappedColumn>> {
  const needing = new Set(fields.filter(({ type }) => readTypes.some(each => each === type)).map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(columns).map(([key, column]) => {
      const surveyed = form.readings?.[column.index] ?? unsurveyed
      return [key, needing.has(key) ? { ...column, reading: readingWith(surveyed, options) } : column]
    }),
  )
}

const readTypes = ['date', 'datetime', 'integer', 'decimal'] as const

function readingWith({ orders, mark }: ColumnReading, { dateFormat, decimalMark }: WantedReading): ColumnReading {
  return {
    orders: dateFormat === 'auto' ? orders : sameOrder(dateFormat),
    mark: decimalMark === 'auto' ? mark : decimalMark,
  }
}
