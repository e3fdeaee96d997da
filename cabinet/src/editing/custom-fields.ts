import type { CustomField, Directories } from '../directories/directories.ts'
import type { FieldDefinition, Widget } from '../records/field.ts'
import { fieldsOf } from '../records/fields.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'

const widgets: Readonly<Record<CustomField['type'], Widget>> = {
  text: 'text',
  number: 'number',
  boolean: 'truth',
  date: 'date',
  datetime: 'moment',
  select: 'option',
  multiselect: 'options',
  url: 'text',
  user: 'operator',
}

/** The fields of a kind with those that the organization has added, which come last. */
export function allFields(kind: Kind, { customFields = [] }: Directories): readonly FieldDefinition[] {
  const added = customFields.filter(field => field.kind === kindFacts[kind].singular || field.kind === kind)
  return [...fieldsOf[kind], ...added.map(definitionOf)]
}

function definitionOf({ key, type, options, required }: CustomField): FieldDefinition {
  return {
    path: `customFields.${key}`,
    widget: widgets[type],
    scope: 'crm_custom_fields_read',
    writeScope: 'crm_custom_fields_manage',
    required,
    options,
    form: 'both',
    column: { width: 140 },
  }
}
