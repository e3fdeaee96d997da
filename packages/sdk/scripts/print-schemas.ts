import openapiTS, { astToString } from 'openapi-typescript'
import { type Api, type Method, queryTypeOf, type Schema } from './api.ts'

/**
 * The types of all components, and of the query of each method that has one. The queries become components first, so that one generator
 * makes all types. Paths are left out: the methods say better what they say.
 */
export async function printSchemas({ document, methods }: Api): Promise<string> {
  const { openapi, info, components } = document
  const queries = methods.filter(({ queryParameters }) => queryParameters.length > 0)
  const schemas = {
    ...components.schemas,
    ...Object.fromEntries(queries.map(method => [queryTypeOf(method), querySchema(method)])),
  }
  const nodes = await openapiTS(JSON.stringify({ openapi, info, paths: {}, components: { schemas } }), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A request may leave out what has a default.
    defaultNonNullable: false,
    silent: true,
  })
  return astToString(nodes)
}

/** The query as one object. Where a schema is a reference, the description stands beside it. */
export function querySchema({ summary, queryParameters }: Pick<Method, 'summary' | 'queryParameters'>): Schema {
  const members = queryParameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  return {
    type: 'object',
    description: `The query of: ${summary}.`,
    required: queryParameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(members),
  }
}
