import type { FieldDefinition } from './field.ts'
import { companyFields } from './fields-of-companies.ts'
import { contactFields } from './fields-of-contacts.ts'
import { dealFields } from './fields-of-deals.ts'
import { taskFields } from './fields-of-tasks.ts'
import type { Kind } from './kinds.ts'

/** The fields of each kind, in the order of forms and pages. */
export const fieldsOf: Readonly<Record<Kind, readonly FieldDefinition[]>> = {
  contacts: contactFields,
  companies: companyFields,
  deals: dealFields,
  tasks: taskFields,
}

/** The field of a kind at a path; undefined where it has none. */
export function fieldAt(kind: Kind, path: string): FieldDefinition | undefined {
  return fieldsOf[kind].find(field => field.path === path)
}
