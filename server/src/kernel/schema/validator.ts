import type { ErrorObject } from 'ajv'
import type { Issue } from '../errors/index.ts'
import { createCompiler, formats, sourceOfChecks } from './check-compiler.ts'
import { isObject, type JsonSchema } from './json.ts'
import { pointer } from './json-pointer.ts'
import { PreparedChecks } from './prepared-checks.ts'

/** Checks a value and gives all its issues, with paths below `path`. */
export type Check = (value: unknown, path: string) => Issue[]

// The thorough check finds every issue. A hostile body could have millions, so the quick one first asks whether
// there is any.
const [thorough, quick] = [atFirstUse(() => createCompiler(true)), atFirstUse(() => createCompiler(false))]
const mostThorough = 20_000

/**
 * Prepares the check of a JSON Schema (draft 2020-12). It is compiled when it is first needed: a command needs hardly any,
 * and compiling all of them takes longer than the rest of its start. For a large value only the first issue is reported.
 */
export function compileSchema(schema: JsonSchema): Check {
  declared.add(schema)
  const quickCheck = atFirstUse(() => prepared().find('quick', schema) ?? quick().compile(schema))
  uncompiled.add(quickCheck)
  const thoroughCheck = atFirstUse(() => prepared().find('thorough', schema) ?? thorough().compile(schema))
  return (value, path) => {
    const isValid = quickCheck()
    if (isValid(value)) return []
    const first = isValid.errors ?? []
    if (countValues(value, mostThorough) > mostThorough) return toIssues(first, path)
    const validate = thoroughCheck()
    validate(value)
    return toIssues(validate.errors ?? first, path)
  }
}

const prepared = atFirstUse(() => new PreparedChecks(formats))
const declared = new Set<JsonSchema>()
const uncompiled = new Set<() => unknown>()

/** The JavaScript of all checks that were declared so far, which makes the next start of the program short. */
export function sourceOfDeclaredChecks(): string {
  return sourceOfChecks(declared)
}

/**
 * Compiles the checks that are waiting for their first use, with a pause after each. A server does so before it listens:
 * compiling with the first request would hold up all others for a tenth of a second. Throws what the compiler throws.
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

/** For a value that may also be null, the issue that it is not null is left out: the other issues say what is wrong. */
function toIssues(errors: readonly ErrorObject[], path: string): Issue[] {
  const isMeant = ({ keyword, params, schemaPath }: ErrorObject) =>
    keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null' && schemaPath.includes('/anyOf/'))
  return errors.filter(isMeant).map(error => toIssue(error, path))
}

function toIssue(error: ErrorObject, path: string): Issue {
  const at = `${path}${error.instancePath}`
  const { missingProperty, additionalProperty, allowedValues, format } = error.params
  switch (error.keyword) {
    case 'required':
      return { path: `${at}/${pointer(String(missingProperty))}`, rule: 'required', message: 'This is required' }
    case 'additionalProperties':
      return {
        path: `${at}/${pointer(String(additionalProperty))}`,
        rule: 'unknown_field',
        message: 'Unknown or read-only',
      }
    case 'enum':
      return { path: at, rule: 'enum', message: `One of ${describeWords(allowedValues)} is expected` }
    case 'format':
      return { path: at, rule: 'format', message: `Not a valid ${format}` }
    case 'minProperties':
    case 'maxProperties':
      return {
        path: at,
        rule: error.keyword,
        message: isReference(error) ? 'Exactly one of id, externalId is expected' : text(error),
      }
    default:
      return { path: at, rule: error.keyword, message: text(error) }
  }
}

function describeWords(words: unknown): string {
  return Array.isArray(words) ? words.map(word => JSON.stringify(word)).join(', ') : 'the listed values'
}

function isReference(error: ErrorObject): boolean {
  return error.schemaPath.startsWith('Reference') || (isObject(error.params) && error.params.limit === 1)
}

function text(error: ErrorObject): string {
  return error.message ?? 'Not valid'
}
