import { type Caller, mayRead } from '../../kernel/index.ts'
import { isObject, type JsonObject, type Projection } from '../../kernel/schema/index.ts'
import { mayReadRows } from './fields/entity-types.ts'
import { projectionOfField, projectionOfText } from './fields/scopes.ts'

/**
 * A preview as this caller may see it: without the fields that need a scope that the token lacks, and without what it may not read:
 * the samples of columns that seem to hold protected values, and each sample or name of a column that looks like contact data,
 * whatever its column is. `entityType` is known to the server alone.
 */
export function projectPreview(data: unknown, { scopes }: Caller): { data: unknown; redacted: readonly string[] } {
  if (!isObject(data) || !Array.isArray(data.fields) || !Array.isArray(data.columns)) return { data, redacted: [] }
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
  return { data: { ...others, fields, columns }, redacted: [...redacted] }
}

/** What hides the values of a column in the records: by the field that it seems to be for, or by what they look like. */
function projectionOf({ suggestedField, detectedType }: JsonObject): Projection | null {
  const ofField = projectionOfField(String(suggestedField))
  return ofField ?? (detectedType === 'email' || detectedType === 'phone' ? 'contact_data' : null)
}
