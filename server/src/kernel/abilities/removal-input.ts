import type { Issue } from '../errors/index.ts'
import {
  type BodyDeclaration,
  expectedVersionParameter,
  type QueryDeclaration,
  type QueryParameter,
} from '../input/index.ts'
import type { Request } from '../operation.ts'
import { compileSchema, isObject, type JsonObject, type JsonSchema, sameJson } from '../schema/index.ts'

/**
 * The input of a DELETE: query parameters, which may also be in a JSON body, because many clients drop one of the two. If a value is given
 * in both, they must agree.
 */
export function removalInput(
  name: string,
  parameters: Readonly<Record<string, QueryParameter>> = {},
): { query: QueryDeclaration; body: BodyDeclaration } {
  const description = 'The version that the record must have: an integer of 1 or more, here or in the body'
  const query = {
    expectedVersion: { ...expectedVersionParameter(), requiredUnlessInBody: true, description },
    ...parameters,
  }
  const properties = Object.fromEntries(
    Object.entries(query).map(([member, { schema, description: said }]) => [
      member,
      { ...withoutQueryForm(schema), description: `${said.replace('in the body', 'in the query')}.` },
    ]),
  )
  const schema: JsonSchema = { type: 'object', properties, additionalProperties: false }
  const check = compileSchema(schema)
  return {
    query,
    body: {
      name,
      schema,
      required: false,
      parse: body => ({ value: body, issues: body === undefined ? [] : check(body, '') }),
    },
  }
}

/** The schema of a query parameter without the documentation of its text form: in a body the value is not a text. */
function withoutQueryForm({ documented: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** The issues with the parameters of a DELETE: no version, or two values that differ. */
export function inspectRemoval(query: JsonObject, body: unknown): Issue[] {
  const given = isObject(body) ? body : {}
  const issues: Issue[] = Object.entries(given)
    .filter(([name, value]) => name in query && !sameJson(query[name], value))
    .map(([name]) => ({ path: `/${name}`, rule: 'same', message: 'Query and body give different values' }))
  if (query.expectedVersion === undefined && given.expectedVersion === undefined) {
    issues.push({ path: 'query:expectedVersion', rule: 'required', message: 'This parameter is required' })
  }
  return issues
}

/** The parameters of a checked DELETE, from the query and the body. */
export function removalOf({ query, body }: Request): JsonObject {
  return { ...(isObject(body) ? body : {}), ...query }
}
