import type { Issue } from '../errors/index.ts'
import type { BodyDeclaration } from '../input/index.ts'
import { limits } from '../limits/index.ts'
import {
  chosenIdSchema,
  compileSchema,
  exampleExternalId,
  type Field,
  type Fields,
  isObject,
  type JsonObject,
  type JsonSchema,
} from '../schema/index.ts'
import type { RecordForm, ResourceInput, Rules } from './resource.ts'

export const externalIdSchema: JsonSchema = {
  type: ['string', 'null'],
  format: 'external-id',
  maxLength: limits.externalIdLength,
  description: 'Your own key for the record, unique for your application; byte-exact.',
  example: exampleExternalId,
}
export const expectedVersionSchema: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The version that the record must have; otherwise 409 version_conflict.',
}

/**
 * The checks of the bodies of a resource. Only records that stand alone have an external key. A change of a setting may omit the expected
 * version, because a person at a command line has not read it.
 */
export function resourceInput(title: string, fields: Fields, rules: Rules, form: RecordForm): ResourceInput {
  const writable = Object.entries(fields).filter(([, field]) => field.input !== undefined)
  const properties = (keep: (field: Field) => boolean) =>
    Object.fromEntries(writable.filter(([, field]) => keep(field)).map(([name, field]) => [name, published(field)]))
  const key = form.isSynchronized ? { externalId: externalIdSchema } : {}
  const chosen =
    form.parent?.chosenId === undefined ? {} : { id: { ...chosenIdSchema, description: 'Made unless given.' } }
  const required = writable.filter(([, field]) => field.requiredOnCreate).map(([name]) => name)
  const onCreate = properties(field => !field.patchOnly)
  const onPatch = properties(field => !field.createOnly)
  const body = (
    suffix: string,
    required: readonly string[],
    properties: JsonSchema,
    inspect?: (input: JsonObject) => Issue[],
    documented?: JsonSchema,
  ) =>
    bodyOfFields(
      `${title}${suffix}`,
      { type: 'object', required, properties, additionalProperties: false, ...(documented && { documented }) },
      fields,
      inspect,
    )
  return {
    required,
    create: body('Create', required, { ...key, ...chosen, ...onCreate }, rules.inspectCreate, rules.documented?.create),
    patch: body(
      'Update',
      form.isSetting || !form.conventions.synchronizes ? [] : ['expectedVersion'],
      { ...(form.conventions.synchronizes ? { expectedVersion: expectedVersionSchema } : {}), ...key, ...onPatch },
      rules.inspectPatch,
      rules.documented?.patch,
    ),
    upsert: body('Upsert', ['externalId'], {
      externalId: { ...externalIdSchema, type: 'string' },
      expectedVersion: {
        ...expectedVersionSchema,
        description:
          'Needed when the record exists (428 without it), refused when it does not (409), and with `overwrite=true` (400).',
      },
      ...onCreate,
      ...onPatch,
    }),
  }
}

/** A body with these members and no others, which are required unless they are listed as `optional`. */
export function jsonBody(
  name: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): BodyDeclaration {
  const required = Object.keys(properties).filter(member => !optional.includes(member))
  return bodyOfFields(name, { type: 'object', additionalProperties: false, required, properties }, {})
}

/** A body with this schema. Fields tidy, inspect and explain the members that they are named like. */
export function bodyOfFields(
  name: string,
  schema: JsonSchema,
  fields: Fields,
  inspectTogether?: (input: JsonObject) => Issue[],
): BodyDeclaration {
  const check = compileSchema(schema)
  const secrets = Object.keys(fields).filter(name => fields[name]?.isSecret)
  const inspected = Object.entries(fields).flatMap(([name, { inspect }]) => (inspect ? [{ name, inspect }] : []))
  return {
    name,
    schema,
    required: true,
    ...(secrets.length === 0 ? {} : { secrets }),
    parse(body) {
      const value = isObject(body) ? tidy(body, fields) : body
      const issues = check(value, '').map(issue => explained(issue, fields))
      if (!isObject(value)) return { value, issues }
      for (const { name, inspect } of inspected) {
        if (name in value && !concerns(issues, `/${name}`)) issues.push(...inspect(value[name], `/${name}`))
      }
      if (issues.length === 0 && inspectTogether !== undefined) issues.push(...inspectTogether(value))
      return { value, issues }
    },
  }
}

/** Whether the schema has refused something at or below a path. Then the form of the value there is unknown. */
function concerns(issues: readonly Issue[], path: string): boolean {
  return issues.some(issue => issue.path === path || issue.path.startsWith(`${path}/`))
}

/** A copy of a body whose members their fields have normalised, before any check. */
export function tidy(body: JsonObject, fields: Fields): JsonObject {
  const tidied: Record<string, unknown> = { ...body }
  for (const name in tidied) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field?.tidy !== undefined) tidied[name] = field.tidy(tidied[name])
  }
  return tidied
}

/** The issue with the message of its field, if the field defines one. */
function explained(issue: Issue, fields: Fields): Issue {
  const [, name = ''] = issue.path.split('/')
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const isFieldUnknown = issue.rule === 'unknown_field' && issue.path === `/${name}`
  const message = isFieldUnknown ? field?.hint : field?.explain?.(issue)
  return message === undefined ? issue : { ...issue, message }
}

function published({ input, description, example }: Field): JsonSchema {
  return {
    ...input,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  }
}

/** The write scopes that the values of a request need. */
export function valueScopesOf(fields: Fields, input: unknown): string[] {
  if (!isObject(input)) return []
  const scopes = new Set<string>()
  for (const name in input) {
    const scope = Object.hasOwn(fields, name) ? fields[name]?.writeScope : undefined
    if (scope !== undefined) scopes.add(scope)
  }
  return [...scopes]
}
