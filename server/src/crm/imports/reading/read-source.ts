import { stat } from 'node:fs/promises'
import { delimiters, encodingNamed, type SourceForm } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/index.ts'
import { type Queue, type ReadFile, readingTime, type SandboxProgram } from '../../../kernel/sandbox/index.ts'
import { isObject, isTexts } from '../../../kernel/schema/index.ts'
import { isColumnReading } from '../cells/column-reading.ts'
import { dateFormats } from '../cells/date-order.ts'
import type { EntityType } from '../fields/entity-types.ts'
import type { KnownForm } from '../import.ts'
import { isDetectedType } from './detected-type.ts'
import type { ReadingTask, SurveyWish } from './reading-process.ts'
import type { Survey } from './survey.ts'
import { warningCodes } from './warnings.ts'

const program: SandboxProgram = { path: 'crm/imports/reading/reading-process', memory: bounds.importMemory.most }

/** The format of a file, and how to read it. */
export interface Surveyed extends Omit<Survey, 'readings'> {
  readonly form: KnownForm
}

// Each of these throws `UnreadableFile` with the reason why a file cannot be imported, and the errors of `Sandbox.run`.

/** Checks whether the file of a request is a table. */
export async function checkSource(path: string, read: ReadFile): Promise<void> {
  await read(await readingOf(path, 'requests', { kind: 'form' }))
}

/** Reads the file of a request to its end, in the sandbox. */
export async function surveySource(
  path: string,
  type: EntityType,
  wish: SurveyWish,
  read: ReadFile,
): Promise<Surveyed> {
  return toSurveyed(await read(await readingOf(path, 'requests', { kind: 'survey', type, wish })))
}

/** Writes all rows of the file of a job into `result`, in the format of `RowsFile`. Resolves to the size of that file in bytes. */
export async function writeSourceRows(path: string, form: KnownForm, result: string, read: ReadFile): Promise<number> {
  const size = await read({ ...(await readingOf(path, 'jobs', { kind: 'rows', form })), result })
  if (typeof size !== 'number') throw notInItsForm()
  return size
}

async function readingOf(source: string, queue: Queue, task: ReadingTask) {
  return { program, source, task, milliseconds: readingTime(queue, (await stat(source)).size) }
}

/** Validates what the reading process returns: it has parsed an untrusted file. */
function toSurveyed(value: unknown): Surveyed {
  const { columns, rowCount, warnings, suggestedHeaderRow: row, form } = isObject(value) ? value : {}
  if (!Array.isArray(columns) || typeof rowCount !== 'number' || !Array.isArray(warnings) || !isForm(form))
    throw notInItsForm()
  const suggestedHeaderRow = typeof row === 'number' ? row : null
  return { columns: columns.map(toColumn), rowCount, warnings: warnings.map(toWarning), suggestedHeaderRow, form }
}

function isForm(value: unknown): value is KnownForm {
  if (!isObject(value) || !isSourceForm(value.source) || !Array.isArray(value.readings)) return false
  return typeof value.headerRow === 'number' && isTexts(value.header) && value.readings.every(isColumnReading)
}

function isSourceForm(value: unknown): value is SourceForm {
  if (!isObject(value)) return false
  if (value.kind === 'xlsx') return typeof value.sheetName === 'string' && isTexts(value.sheets)
  const { kind, encoding, delimiter } = value
  const isKnown = typeof encoding === 'string' && encodingNamed(encoding) === encoding
  return kind === 'csv' && isKnown && delimiters.some(each => each === delimiter)
}

function toColumn(value: unknown): Survey['columns'][number] {
  const { index, name, samples, detectedType, suggestedDateFormat, companies } = isObject(value) ? value : {}
  const isWhole = typeof index === 'number' && typeof name === 'string' && isTexts(samples)
  if (!isWhole || !isDetectedType(detectedType)) throw notInItsForm()
  const order = dateFormats.find(each => each === suggestedDateFormat) ?? null
  const names = isTexts(companies) ? companies : null
  return { index, name, samples, detectedType, suggestedDateFormat: order, companies: names }
}

function toWarning(value: unknown): Survey['warnings'][number] {
  const { code, message, column, example } = isObject(value) ? value : {}
  const known = warningCodes.find(each => each === code)
  if (known === undefined || typeof message !== 'string') throw notInItsForm()
  return {
    code: known,
    message,
    ...(typeof column === 'number' ? { column } : {}),
    ...(typeof example === 'string' ? { example } : {}),
  }
}

function notInItsForm(): Error {
  return new Error('the reading process has returned an invalid result')
}
