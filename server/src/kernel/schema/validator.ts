import type { ErrorObject } from 'ajv'
import type { Issue } from '../errors/index.ts'
import { bounds } from '../limits/bounds.ts'
import { createCompiler, formats, sharedSchemas, sourceOfChecks } from './check-compiler.ts'
import { isObject, type JsonSchema, ownMember } from './json.ts'
import { pointer } from './json-pointer.ts'
import { didYouMean, nearestWord } from './nearest.ts'
import { type CheckKind, PreparedChecks } from './prepared-checks.ts'

/** Checks a value and returns all its issues, with paths below `path`. */
export type SchemaCheck = (value: unknown, path: string) => Issue[]

// The thorough check finds every issue. A hostile body could have millions, so the quick check first finds out whether there is any.
const [thorough, quick] = [atFirstUse(() => createCompiler(true)), atFirstUse(() => createCompiler(false))]
const mostThorough = 20_000

/**
 * Prepares the check of a JSON Schema (draft 2020-12). The schema is compiled when first needed: a command needs hardly any, and compiling
 * all takes longer than the rest of its start. For a large value only the first issue is reported.
 */
export function compileSchema(schema: JsonSchema): SchemaCheck {
  declared.add(schema)
  const quickCheck = atFirstUse(() => prepared().find('quick', schema) ?? quick().compile(schema))
  uncompiled.add(quickCheck)
  const thoroughCheck = atFirstUse(() => prepared().find('thorough', schema) ?? thorough().compile(schema))
  return (value, path) => {
    const isValid = quickCheck()
    if (isValid(value)) return []
    const first = isValid.errors ?? []
    if (countValues(value, mostThorough) > mostThorough) return toIssues(first, path, schema)
    const validate = thoroughCheck()
    validate(value)
    return toIssues(validate.errors ?? first, path, schema)
  }
}

const prepared = atFirstUse(() => new PreparedChecks(formats))
const declared = new Set<JsonSchema>()
const uncompiled = new Set<() => unknown>()

/** The JavaScript of all checks of a kind declared so far, which shortens the next start of the program. */
export function sourceOfDeclaredChecks(kind: CheckKind, minify: (source: string) => string): string {
  return sourceOfChecks(kind, declared, minify)
}

/**
 * Compiles the checks that were not used yet, with a pause after each. A server calls this before it listens: compiling during the first
 * request would delay all others for a tenth of a second. Throws the errors of the compiler.
 */
export async function compileSchemas(): Promise<void> {
  for (const compile of uncompiled) {
    uncompiled.delete(compile)
    compile()
    await new Promise(resolve => setImmediate(resolve))
  }
}

function atFirstUse<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

/** The number of members and elements on all levels. Counting stops soon after `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) {
    count += 1 + countValues(member, most - count)
    if (count > most) break
  }
  return count
}

/** For a value that may also be null, leaves out the issue that it is not null: the other issues say what is wrong. */
function toIssues(errors: readonly ErrorObject[], path: string, schema: JsonSchema): Issue[] {
  const isMeant = ({ keyword, params, schemaPath }: ErrorObject) =>
    keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null' && schemaPath.includes('/anyOf/'))
  return errors.filter(isMeant).map((error, index) => toIssue(error, path, index < bounds.issues.most ? schema : null))
}

/** Without a schema, the issue suggests no member. */
function toIssue(error: ErrorObject, path: string, schema: JsonSchema | null): Issue {
  const at = `${path}${error.instancePath}`
  const { missingProperty, additionalProperty, allowedValues, format } = error.params
  switch (error.keyword) {
    case 'required':
      return { path: `${at}/${pointer(String(missingProperty))}`, rule: 'required', message: 'This is required' }
    case 'additionalProperties':
      return {
        path: `${at}/${pointer(String(additionalProperty))}`,
        rule: 'unknown_field',
        message: unknown(String(additionalProperty), schema === null ? [] : membersAt(error.schemaPath, schema)),
      }
    case 'enum':
      return { path: at, rule: 'enum', message: `One of ${describeWords(allowedValues)} is expected` }
    case 'format':
      return { path: at, rule: 'format', message: formatMessages[String(format)] ?? `Not a valid ${format}` }
    case 'minProperties':
    case 'maxProperties':
      return {
        path: at,
        rule: error.keyword,
        message: isReference(error, schema) ? 'Exactly one of id, externalId is expected' : text(error),
      }
    default:
      return { path: at, rule: error.keyword, message: text(error) }
  }
}

const formatMessages: Readonly<Record<string, string>> = {
  date: 'Write a date that exists as YYYY-MM-DD, such as 2026-03-31',
  'date-time': 'Write a time with its offset, such as 2026-03-31T09:30:00Z',
  'date-or-date-time': 'Write a date as YYYY-MM-DD, or a time with its offset, such as 2026-03-31T09:30:00Z',
}

function unknown(name: string, known: readonly string[]): string {
  const nearest = nearestWord(name, known)
  return nearest === null || nearest === name ? 'Unknown or read-only' : `Unknown or read-only${didYouMean(nearest)}`
}

/** The members of the object whose schema has the keyword at `schemaPath`, which begins with `#` or with the name of a shared schema. */
function membersAt(schemaPath: string, schema: JsonSchema): string[] {
  const [name = '', ...steps] = schemaPath.split('/')
  let found: unknown = name === '#' ? schema : sharedSchemas[name]
  for (const step of steps.slice(0, -1)) {
    const member = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    found = Array.isArray(found) ? found[Number(member)] : isObject(found) ? ownMember(found, member) : undefined
  }
  return isObject(found) && isObject(found.properties) ? Object.keys(found.properties) : []
}

function describeWords(words: unknown): string {
  return Array.isArray(words) ? words.map(word => JSON.stringify(word)).join(', ') : 'the listed values'
}

function isReference({ schemaPath }: ErrorObject, schema: JsonSchema | null): boolean {
  return schemaPath.startsWith('Reference') || (schema !== null && membersAt(schemaPath, schema).includes('externalId'))
}

function text(error: ErrorObject): string {
  return error.message ?? 'Not valid'
}
