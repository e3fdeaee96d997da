import { tagNames } from '../../kernel/columns/index.ts'
import { delimiters, encodingNamed } from '../../kernel/documents/index.ts'
import {
  defineOperation,
  type Operation,
  type Request,
  refusalOfErasure,
  refuseMissingScopes,
  type Services,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, Refusal } from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { changeImport, missingImport, refuseDropped, refuseStatus } from './change-import.ts'
import { readScopesOfRows } from './fields/entity-types.ts'
import { fieldsOf, type ImportField } from './fields/import-fields.ts'
import { scopeOfField } from './fields/scopes.ts'
import { suggestFields } from './fields/suggest-fields.ts'
import { type ImportRow, isOpen, noCounters } from './import.ts'
import { countMissingCompanies } from './missing-companies.ts'
import { previewBody, previewSchema } from './preview-schema.ts'
import { projectPreview } from './project-preview.ts'
import type { Surveyed } from './reading/read-source.ts'
import type { SurveyWish } from './reading/reading-process.ts'
import { findImport, surveyImport } from './survey-import.ts'

/**
 * `POST /imports/:id/preview`: the columns of the file, and the fields that they can be mapped to (contract section 10.3). Records do not
 * change. The start reads the file with the settings of the last preview.
 */
export const previewImport: Operation = defineOperation({
  id: 'imports.preview',
  method: 'POST',
  path: '/api/v1/crm/imports/{id}/preview',
  previewOf: 'imports.start',
  summary: 'Preview an import',
  description: 'Encoding, delimiter and names of columns are found out; what is given decides, for the start too.',
  scopes: ['crm_import_manage'],
  body: previewBody,
  refuses: [
    missingImport,
    refusalOfErasure,
    ['unprocessable', 'The import was started already, its file is kept no more, or its file cannot be read.'],
  ],
  answer: { data: previewSchema },
  project: projectPreview,
  execute: preview,
})

async function preview(request: Request, services: Services) {
  const known = await findImport(request, services)
  const wish = wishOf(request.body)
  const refusal = known === null ? null : refuseLowerNames(known, wish, request)
  if (refusal !== null) return refusal
  const surveyed = known === null ? null : await surveyImport(known, wish, request, services)
  const isReadable = known !== null && surveyed !== null && !(surveyed instanceof Refusal)
  const told = isReadable ? await tell(known, surveyed, request, services) : {}
  const outcome = await changeImport(request, services, row => {
    if (!isOpen(row)) return refuseStatus(row.status, 'previewed')
    if (surveyed === null || surveyed instanceof Refusal) return surveyed ?? refuseStatus(row.status, 'previewed')
    if (row.file_id === null) return refuseDropped(row.status)
    return { status: 200, changed: changedBy(surveyed), data: told }
  })
  if (outcome instanceof Refusal || surveyed === null || surveyed instanceof Refusal || !('data' in outcome))
    return outcome
  // The stored answer has no values of the file: they may concern persons who are erased before the answer is replayed.
  const { status, data, meta, replayed = false } = outcome
  return { status, data: withSamples(data, surveyed), meta, ...(replayed ? { replayed } : {}) }
}

/** Column names are shown to each token that may import. If the client chooses the header line, they could be any row of the file. */
function refuseLowerNames({ entity_type: type }: ImportRow, { headerRow }: SurveyWish, { caller }: Request) {
  return headerRow === 1 ? null : refuseMissingScopes(readScopesOfRows(type), caller)
}

type Query = Parameters<typeof tagNames>[0]['query']

function wishOf(body: unknown): SurveyWish {
  const { encoding, delimiter, sheetName, headerRow = 1, sampleSize = 5 } = isObject(body) ? body : {}
  const saidEncoding = typeof encoding === 'string' ? encodingNamed(encoding) : null
  const saidDelimiter = delimiters.find(each => each === delimiter)
  return {
    headerRow: Number(headerRow),
    sampleSize: Number(sampleSize),
    ...(saidEncoding === null ? {} : { encoding: saidEncoding }),
    ...(saidDelimiter === undefined ? {} : { delimiter: saidDelimiter }),
    ...(typeof sheetName === 'string' ? { sheetName } : {}),
  }
}

function changedBy({ form, rowCount }: Surveyed): Partial<ImportRow> {
  const counters = { ...noCounters, total: rowCount, pending: rowCount }
  return { status: 'ready', form, row_count: rowCount, counters }
}

/** What the preview tells of a file that was read. */
async function tell(row: ImportRow, surveyed: Surveyed, request: Request, services: Services): Promise<JsonObject> {
  const { actor, reader, caller } = request
  const { database } = services
  const configuration = await services.configurations.fresh(reader)
  const connection = { query: (...[asked, values]: Parameters<Query>) => database.query(asked, values, reader) }
  const tags = await tagNames(connection, actor.organizationId)
  const fields = fieldsOf(row.entity_type, { configuration, tags, kinds: services })
  const { columns, form, rowCount, warnings, suggestedHeaderRow } = surveyed
  const suggested = suggestFields(row.entity_type, columns, fields)
  const companies = columns.find(({ index }) => suggested.get(index) === 'companyName')?.companies ?? null
  const isCounted = companies !== null && caller.scopes.has(company.scopes.read)
  const { source } = form
  return {
    entityType: row.entity_type,
    columns: columns.map(({ index, name, detectedType, suggestedDateFormat }) => ({
      index,
      name,
      samples: [],
      detectedType,
      suggestedField: suggested.get(index) ?? null,
      suggestedDateFormat,
    })),
    fields: fields.map(toField),
    rowCount,
    encoding: source.kind === 'csv' ? source.encoding : null,
    delimiter: source.kind === 'csv' ? source.delimiter : null,
    sheets: source.kind === 'xlsx' ? source.sheets : [],
    warnings: warnings.map(({ code, message, column = null }) => ({ code, message, column, example: null })),
    suggestedHeaderRow,
    missingCompanies: isCounted ? { ...(await countMissingCompanies(companies, request, services)) } : null,
  }
}

function toField({ key, label, type, isRequired, options }: ImportField): JsonObject {
  const choices = options?.map(option => ({ key: option.key, label: option.label })) ?? null
  return { key, label, type, required: isRequired, options: choices, guard: scopeOfField(key) }
}

function withSamples(data: unknown, { columns, warnings }: Surveyed): unknown {
  if (!isObject(data) || !Array.isArray(data.columns) || !Array.isArray(data.warnings)) return data
  const shown = data.columns.filter(isObject)
  const warned = data.warnings.filter(isObject)
  return {
    ...data,
    columns: shown.map((column, index) => ({ ...column, samples: columns[index]?.samples ?? [] })),
    warnings: warned.map((warning, index) => ({ ...warning, example: warnings[index]?.example ?? null })),
  }
}
