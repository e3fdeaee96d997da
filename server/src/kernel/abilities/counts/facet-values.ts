import { columnOf, type Resource } from '../../record/index.ts'
import { type CustomFieldDefinition, customFieldParameter } from '../../schema/index.ts'
import type { Bind } from '../../sql/index.ts'
import type { FacetValue } from './count-statements.ts'

/** The filters of a kind whose values are counted: those by ids of settings and by words. Other filters have too many values. */
export function facetNames({ filters, fields }: Resource): string[] {
  return [...filters].flatMap(([name, { takesSeveral, scope, member, schema }]) => {
    const isOfFew = schema.format === 'uuid' || schema.enum !== undefined
    const hasColumn = fields[member]?.column !== undefined
    return takesSeveral && scope === undefined && isOfFew && hasColumn ? [name] : []
  })
}

/** Types of custom fields whose values are counted. */
const countedTypes: ReadonlySet<CustomFieldDefinition['type']> = new Set(['boolean', 'select', 'multiselect', 'user'])

/** How a facet finds the values of a record, by its name; null if it has none. `definitions` are the custom fields of the kind. */
export function facetValue(
  { fields, filters, roles }: Resource,
  name: string,
  definitions: readonly CustomFieldDefinition[],
): ((bind: Bind) => FacetValue) | null {
  const key = customFieldParameter.exec(name)?.[1]
  if (key === undefined) {
    const { column = '', member = '' } = filters.get(name) ?? {}
    return () => ({ sql: column, isList: fields[member]?.column?.endsWith('[]') === true })
  }
  const definition = definitions.find(each => each.key === key && countedTypes.has(each.type))
  const field = fields[roles.customFields ?? '']
  if (definition === undefined || field === undefined) return null
  const column = `t.${columnOf(roles.customFields ?? '', field)}`
  return bind =>
    definition.type === 'multiselect'
      ? { sql: `array(select jsonb_array_elements_text(${column} -> ${bind(key)}::text))`, isList: true }
      : { sql: `${column} ->> ${bind(key)}::text`, isList: false }
}
