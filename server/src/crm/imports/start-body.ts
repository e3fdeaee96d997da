import { compileSchema, isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { conflictRules, type DedupPolicy, matchKeys, strategies, usualMatchKeys } from './dedup-policy.ts'
import { columnOfField, dedupPolicySchema, defaultsSchema, mappingSchema } from './import-schema.ts'
import { optionSchemas, type StartOptions, startOptions } from './start-options.ts'

/** Values that name no column. The OpenAPI document lists them, because it gives columns no type (see `mappingSchema`). */
const noColumns = [
  ...['boolean', 'null', 'object', 'array'].map(type => ({ type })),
  { type: 'number', not: { type: 'integer', minimum: 0 } },
  { type: 'string', pattern: '^$|\\x00' },
  { type: 'string', minLength: 32_769 },
]

const { component: _, ...documentedPolicy } = dedupPolicySchema

const schema = {
  type: 'object',
  required: ['mapping', 'dedupPolicy'],
  properties: {
    mapping: {
      ...mappingSchema,
      minProperties: 1,
      maxProperties: 500,
      additionalProperties: {
        type: ['string', 'integer'],
        minimum: 0,
        minLength: 1,
        maxLength: 32_768,
        documented: {
          type: undefined,
          minimum: undefined,
          minLength: undefined,
          maxLength: undefined,
          description: columnOfField,
          not: { anyOf: noColumns },
        },
      },
    },
    dedupPolicy: {
      anyOf: [{ component: 'ImportStrategy', type: 'string', enum: strategies }, dedupPolicySchema],
      component: dedupPolicySchema.component,
      // A bare strategy is accepted too. The OpenAPI document omits this form: typed clients have no type for a text or an object.
      documented: { ...documentedPolicy, anyOf: undefined },
      description: 'What becomes of rows whose records are there already; a strategy alone has the usual rest.',
      example: { strategy: 'create_or_update', matchBy: ['externalId', 'email'], onConflict: 'fill_empty' },
    },
    defaults: { ...defaultsSchema, maxProperties: 500 },
    dryRun: { type: 'boolean', default: false, description: 'Whether to write nothing, and only tell what would be.' },
    ...optionSchemas,
  },
  additionalProperties: false,
}

const check = compileSchema(schema)

const noMapping =
  'No field has a column: name the column of each field, as in {"firstName": "First Name"}; the preview suggests which, in suggestedField'

/** The body of `POST /imports/:id/start`. */
export const startBody = {
  name: 'ImportStart',
  schema,
  required: true,
  parse: (body: unknown) => ({
    value: body,
    issues: check(body, '').map(issue =>
      issue.path === '/mapping' && issue.rule === 'minProperties' ? { ...issue, message: noMapping } : issue,
    ),
  }),
}

export interface StartInput {
  readonly mapping: Readonly<Record<string, string | number>>
  readonly policy: DedupPolicy
  readonly defaults: Readonly<Record<string, string>>
  readonly dryRun: boolean
  readonly options: StartOptions
}

/** A validated body. */
export function startInput(body: unknown): StartInput {
  const { mapping, dedupPolicy, defaults, dryRun } = isObject(body) ? body : {}
  return {
    mapping: pick(mapping, isColumn),
    policy: policyOf(dedupPolicy),
    defaults: pick(defaults, isText),
    dryRun: dryRun === true,
    options: startOptions(body),
  }
}

/** The policy of a request, with defaults for the members that the request leaves out. */
function policyOf(given: unknown): DedupPolicy {
  const { strategy, matchBy, onConflict }: JsonObject = isObject(given) ? given : { strategy: given }
  const keys: readonly unknown[] = Array.isArray(matchBy) ? matchBy : usualMatchKeys
  return {
    strategy: strategies.find(known => known === strategy) ?? 'create_or_update',
    matchBy: keys.flatMap(key => matchKeys.find(known => known === key) ?? []),
    onConflict: conflictRules.find(known => known === onConflict) ?? 'fill_empty',
  }
}

function pick<Value>(given: unknown, is: (value: unknown) => value is Value): Readonly<Record<string, Value>> {
  // Built from entries, so that a key such as `__proto__` is an ordinary one, and is reported as unknown.
  const entries = Object.entries(isObject(given) ? given : {})
  return Object.fromEntries(entries.flatMap(([key, value]) => (is(value) ? [[key, value] as const] : [])))
}

function isColumn(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
