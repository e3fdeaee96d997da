import { type Caller, mayRead } from '../../kernel/index.ts'
import { isObject, type JsonObject, type Projection } from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { mayReadRows } from './fields/entity-types.ts'
import { projectionOfField, projectionOfText } from './fields/scopes.ts'

/**
 * A preview as this caller may see it: without the fields that need a scope that the token lacks, without the samples of columns that
 * appear to hold protected values, and without each sample, example or column name that looks like contact data, whatever its column is. Only the
 * server knows `entityType`.
 */
export function projectPreview(data: unknown, { scopes }: Caller): { data: unknown; redacted: readonly string[] } {
  if (!isObject(data) || !Array.isArray(data.fields) || !Array.isArray(data.columns)) return { data, redacted: [] }
  if (!Array.isArray(data.warnings)) return { data, redacted: [] }
  const { entityType, ...others } = data
  const fields = data.fields.filter(isObject).filter(({ guard }) => guard === null || scopes.has(String(guard)))
  const keys = new Set<unknown>(fields.map(({ key }) => key))
  const isReadable = mayReadRows(String(entityType), scopes)
  const redacted = new Set<Projection>()
  const isHidden = (projection: Projection | null) => {
    if (projection === null || mayRead(projection, scopes)) return false
    redacted.add(projection)
    return true
  }
  const columns = data.columns.filter(isObject).map(column => {
    const { name, samples, suggestedField } = column
    const isHiddenWhole = isHidden(projectionOf(column))
    const shown = isReadable && !isHiddenWhole && Array.isArray(samples) ? samples : []
    return {
      ...column,
      name: isHidden(projectionOfText(String(name))) ? '' : name,
      samples: shown.filter(sample => !isHidden(projectionOfText(String(sample)))),
      suggestedField: keys.has(suggestedField) ? suggestedField : null,
    }
  })
  const projections = data.columns.filter(isObject).map(projectionOf)
  const warnings = data.warnings.filter(isObject).map(warning => {
    const { column, example } = warning
    if (typeof example !== 'string') return warning
    const isShown = isReadable && !isHidden(projections[Number(column)] ?? null) && !isHidden(projectionOfText(example))
    return { ...warning, example: isShown ? example : null }
  })
  const missingCompanies = companiesFor(scopes, data.missingCompanies)
  return { data: { ...others, fields, columns, warnings, missingCompanies }, redacted: [...redacted] }
}

/** The counts of companies for a token that may read them, with what to do about those that are missing. */
function companiesFor(scopes: ReadonlySet<string>, counted: unknown): JsonObject | null {
  if (!isObject(counted) || !scopes.has(company.scopes.read)) return null
  const remedy = scopes.has(company.scopes.write) ? 'create' : 'leave_out'
  return { ...counted, suggested: counted.missing === 0 ? 'refuse' : remedy }
}

/** The projection that hides the values of a column: that of its suggested field, or of what the values look like. */
function projectionOf({ suggestedField, detectedType }: JsonObject): Projection | null {
  const ofField = projectionOfField(String(suggestedField))
  return ofField ?? (detectedType === 'email' || detectedType === 'phone' ? 'contact_data' : null)
}
