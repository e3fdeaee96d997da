import type { Operation } from '../src/core/operation.ts'
import type { Api, Method } from './api.ts'

/** The table of operations at run time: resource, method, operation. */
export function printOperations({ methods }: Pick<Api, 'methods'>): string {
  const table: Record<string, Record<string, Operation>> = {}
  for (const method of methods) table[method.resource] = { ...table[method.resource], [method.name]: entryOf(method) }
  return [
    "import type { OperationTable } from '../core/operation.ts'\n",
    `export const operations: OperationTable = ${JSON.stringify(table)}\n`,
  ].join('\n')
}

/** What the client has to know of a method when it is called. */
export function entryOf({ row, queryParameters }: Method): Operation {
  const joined = queryParameters.filter(({ explode }) => explode === false).map(({ name }) => name)
  const { cas } = row
  return {
    id: row.id,
    method: httpMethod(row.method),
    path: row.path,
    ...(row.body !== undefined && { body: row.body === 'form' ? 'form' : 'json' }),
    ...(queryParameters.length > 0 && { query: true }),
    ...(joined.length > 0 && { joined }),
    ...(row.keyed && { keyed: true }),
    ...(row.paged && { paged: true }),
    ...((cas === 'body' || cas === 'query') && { cas }),
  }
}

const httpMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

function httpMethod(name: string): Operation['method'] {
  const known = httpMethods.find(method => method === name)
  if (known === undefined) throw new Error(`No method of HTTP: ${name}`)
  return known
}
