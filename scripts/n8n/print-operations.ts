import type { Operation } from '../../packages/n8n-nodes-crm/nodes/Crm/operation.ts'
import type { Method } from '../../packages/sdk/scripts/api.ts'
import { type Input, inputsOf, isOnTop, type Schemas, typeOf } from './inputs.ts'

/** What the node has to know of an operation when it calls it. */
export function entryOf(method: Method, schemas: Schemas): Operation {
  const { row } = method
  return {
    method: httpMethod(row.method),
    path: row.path,
    ...(row.keyed && { keyed: true }),
    ...(row.paged && { paged: true }),
    inputs: inputsOf(method, schemas).map(input => {
      const form = formOf(input)
      return {
        name: input.name,
        place: input.place,
        member: input.member,
        ...(isOnTop(input) && { onTop: true as const }),
        ...(form !== undefined && { form }),
      }
    }),
  }
}

function formOf({ schema, isJoined }: Input): 'json' | 'rows' | 'joined' | undefined {
  const type = typeOf(schema)
  if (type === 'object') return 'json'
  if (type === 'array' && schema.items !== undefined && hasRows(schema)) return 'rows'
  return isJoined ? 'joined' : undefined
}

/** Whether the elements of a list are objects. */
export function hasRows({
  items,
}: {
  readonly items?: { readonly $ref?: string; readonly properties?: object }
}): boolean {
  return items?.properties !== undefined || /Reference$|Input$/u.test(items?.$ref ?? '')
}

const httpMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

function httpMethod(name: string): Operation['method'] {
  const known = httpMethods.find(method => method === name)
  if (known === undefined) throw new Error(`No method of HTTP: ${name}`)
  return known
}
