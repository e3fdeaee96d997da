import { type BodyDeclaration, bodyOfFields, expectedVersionSchema, type OwnRefusal } from '../../kernel/index.ts'
import type { Field, Fields, JsonSchema } from '../../kernel/schema/index.ts'
import type { Control } from '../controls.ts'

/** The refusal of a change for which another version was expected. */
export const staleSetting: OwnRefusal = [
  'version_conflict',
  'The setting no longer has the version in `expectedVersion`.',
]

/** The member of an answer that the next change names as `expectedVersion`. */
export const settingVersion: Readonly<Record<'version', JsonSchema>> = { version: { type: 'integer', minimum: 1 } }

/** The body of a new setting. `parent` is the member that names the setting to which it belongs. */
export function newSettingBody(name: string, controls: readonly Control[], parent: string | null): BodyDeclaration {
  const required = controls.flatMap(({ name, isRequired }) => (isRequired ? name : []))
  const ofParent = parent === null ? {} : { [parent]: { type: 'string', format: 'uuid' } }
  return settingBody(name, controls, required, ofParent)
}

/** The body of a change: some of the values, and the version that the setting must have, if it has versions. */
export function changedSettingBody(name: string, controls: readonly Control[], isVersioned = true): BodyDeclaration {
  return settingBody(name, controls, [], isVersioned ? { expectedVersion: expectedVersionSchema } : {})
}

/** A control whose declaration has no schema of its own is a text. The members of `more` are required, too. */
function settingBody(
  name: string,
  controls: readonly Control[],
  required: readonly string[],
  more: Readonly<Record<string, JsonSchema>>,
): BodyDeclaration {
  const entries = controls.map(({ name, field, help, label }): [string, Field, JsonSchema] => [
    name,
    field,
    { type: 'string', ...field.input, description: help === '' ? label : `${label}: ${help}` },
  ])
  const properties = Object.fromEntries(entries.map(([name, , schema]) => [name, schema]))
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: [...required, ...Object.keys(more)],
    properties: { ...more, ...properties },
  }
  const fields: Fields = Object.fromEntries(entries.map(([name, field]) => [name, field]))
  return bodyOfFields(name, schema, fields)
}
