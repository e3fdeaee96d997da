import { type BodyDeclaration, bodyOfFields } from '../../kernel/index.ts'
import type { Field, Fields, JsonSchema } from '../../kernel/schema/index.ts'
import type { Control } from '../controls.ts'

/**
 * The body that gives these controls their values. A control whose declaration has no schema of its own is a text. `parent` is the member
 * that names the setting to which a new one belongs.
 */
export function settingBody(name: string, controls: readonly Control[], parent: string | null = null): BodyDeclaration {
  const entries = controls.map(({ name, field, help, label }): [string, Field, JsonSchema] => [
    name,
    field,
    { type: 'string', ...field.input, description: help === '' ? label : `${label}: ${help}` },
  ])
  const properties = Object.fromEntries(entries.map(([name, , schema]) => [name, schema]))
  const required = controls.flatMap(({ name, isRequired }) => (isRequired ? name : []))
  const ofParent = parent === null ? {} : { [parent]: { type: 'string', format: 'uuid' } }
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: [...required, ...Object.keys(ofParent)],
    properties: { ...ofParent, ...properties },
  }
  const fields: Fields = Object.fromEntries(entries.map(([name, field]) => [name, field]))
  return bodyOfFields(name, schema, fields)
}
