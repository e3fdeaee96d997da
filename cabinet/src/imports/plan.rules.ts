import type { ImportChoices, ImportJob, ImportPreview, PreviewColumn } from './import-job.ts'

/** What a user has decided about a file: what goes where, and what becomes of what does not fit. */
export interface ImportPlan extends ImportChoices {
  /** The field of each column by its number; a column that is left out has none. */
  readonly fields: Readonly<Record<number, string>>
  readonly strategy: NonNullable<ImportJob['dedupPolicy']>['strategy']
  readonly onConflict: 'fill_empty' | 'overwrite'
  readonly matchBy: readonly string[]
}

const usual: ImportChoices = {
  missingCompany: 'refuse',
  missingTag: 'refuse',
  onInvalidCell: 'refuse_row',
  dateFormat: 'auto',
  decimalMark: 'auto',
}

/** The plan that the server suggests. Companies that are missing are created where the user may do that. */
export function suggestedPlan({ columns, missingCompanies }: ImportPreview): ImportPlan {
  const fields = Object.fromEntries(
    columns.flatMap(({ index, suggestedField }) => (suggestedField === null ? [] : [[index, suggestedField]])),
  )
  return {
    ...usual,
    missingCompany: missingCompanies?.suggested ?? usual.missingCompany,
    fields,
    strategy: 'create_or_update',
    onConflict: 'fill_empty',
    matchBy: matchKeysFor(fields).filter(key => key === 'uuid' || key === 'externalId' || key === 'email'),
  }
}

/** The plan of an earlier import whose file had the same columns; null if it has none that fits. */
export function earlierPlan(earlier: ImportJob | null, preview: ImportPreview): ImportPlan | null {
  if (earlier?.mapping == null || earlier.dedupPolicy === null) return null
  const known = new Set(preview.fields.map(({ key }) => key))
  const fields: Record<number, string> = {}
  for (const [field, column] of Object.entries(earlier.mapping)) {
    const index = typeof column === 'number' ? column : indexOf(column, preview.columns)
    if (known.has(field) && index >= 0 && index < preview.columns.length) fields[index] = field
  }
  if (Object.keys(fields).length === 0) return null
  const { missingCompany, missingTag, onInvalidCell, dateFormat, decimalMark, dedupPolicy } = earlier
  return { missingCompany, missingTag, onInvalidCell, dateFormat, decimalMark, ...dedupPolicy, fields }
}

function indexOf(name: string, columns: readonly PreviewColumn[]): number {
  return columns.findIndex(column => column.name === name)
}

/** The plan with another field for a column; null leaves it out. A field has one column, so another column loses it. */
export function withField(plan: ImportPlan, column: number, field: string | null): ImportPlan {
  const others = Object.entries(plan.fields).filter(([index, key]) => Number(index) !== column && key !== field)
  const fields: Record<number, string> = Object.fromEntries(others)
  if (field !== null) fields[column] = field
  const possible = matchKeysFor(fields)
  const before = matchKeysFor(plan.fields)
  // An id or an e-mail address that comes in is what rows are found by, unless that was switched off.
  const added = possible.filter(key => !before.includes(key) && (key === 'externalId' || key === 'email'))
  return { ...plan, fields, matchBy: foundBy([...plan.matchBy, ...added], possible) }
}

/** The plan whose rows find records by a value, or no longer do. */
export function withMatch(plan: ImportPlan, key: string, isSelected: boolean): ImportPlan {
  const others = plan.matchBy.filter(each => each !== key)
  return { ...plan, matchBy: foundBy(isSelected ? [...others, key] : others, matchKeysFor(plan.fields)) }
}

/** The chosen values of the possible ones, in their order. Without any, the server finds records by the ids that the file has. */
function foundBy(chosen: readonly string[], possible: readonly string[]): readonly string[] {
  const taken = possible.filter(key => chosen.includes(key))
  return taken.length > 0 ? taken : possible.filter(key => key === 'uuid' || key === 'externalId')
}

const matchFields: readonly (readonly [key: string, field: RegExp])[] = [
  ['uuid', /^uuid$/u],
  ['externalId', /^externalId$/u],
  ['email', /^email\d$/u],
  ['phone', /^phone\d$/u],
  ['taxId', /^taxId$/u],
  ['name', /^(?:name|fullName|lastName)$/u],
]

/** The values by which rows can find records, in the order in which they are tried. */
export function matchKeysFor(fields: ImportPlan['fields']): readonly string[] {
  const mapped = Object.values(fields)
  return matchFields.filter(([, form]) => mapped.some(field => form.test(field))).map(([key]) => key)
}

/** The body of the start. Columns are named by their numbers, because names can be missing or occur twice. */
export function startBodyOf(plan: ImportPlan, dryRun: boolean) {
  const { fields, strategy, onConflict, matchBy, ...options } = plan
  return {
    mapping: Object.fromEntries(Object.entries(fields).map(([index, field]) => [field, Number(index)])),
    dedupPolicy: { strategy, onConflict, ...(matchBy.length === 0 ? {} : { matchBy }) },
    dryRun,
    ...options,
  }
}

/** The body of the start that follows a dry run: what was checked is what is done. */
export function startAfter(checked: ImportJob) {
  const { mapping, dedupPolicy, missingCompany, missingTag, onInvalidCell, dateFormat, decimalMark } = checked
  return { mapping, dedupPolicy, missingCompany, missingTag, onInvalidCell, dateFormat, decimalMark, dryRun: false }
}
