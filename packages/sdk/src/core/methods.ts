import type { Caller } from './call.ts'
import { isObject } from './json.ts'
import type { Operation, OperationTable } from './operation.ts'
import type { WriteOptions } from './options.ts'
import { PagedList } from './pages.ts'

type Method = (...args: readonly unknown[]) => unknown

/** The methods of a resource, and the resources below it. */
export interface Resource {
  [name: string]: Method | Resource
}

/** A method for each operation of the table, all called alike: the parameters of the path, the body, the query, the options. */
export function resourcesOf(table: OperationTable, caller: Caller): Resource {
  const all: Resource = {}
  for (const [name, operations] of Object.entries(table)) {
    const resource = name.split('.').reduce(below, all)
    for (const [method, operation] of Object.entries(operations)) resource[method] = methodOf(operation, caller)
  }
  return all
}

function below(resource: Resource, name: string): Resource {
  const found = resource[name]
  if (typeof found === 'object') return found
  const made: Resource = {}
  resource[name] = made
  return made
}

function methodOf(operation: Operation, caller: Caller): Method {
  const parameters = operation.path.split('{').length - 1
  return (...args) => {
    let next = parameters
    const path = args.slice(0, parameters).map(value => (typeof value === 'string' ? value : ''))
    const body = operation.body && args[next++]
    const query = objectOf(operation, 'query', operation.query && args[next++])
    const options: WriteOptions = objectOf(operation, 'options', args[next])
    if (!operation.paged) return caller.request(operation, { path, query, body }, options)
    return new PagedList(cursor => {
      const asked = cursor === undefined ? query : { ...query, cursor }
      return caller.request(operation, { path, query: asked }, options).withResponse()
    })
  }
}

/** Throws TypeError for an argument in the wrong place. */
function objectOf({ id }: Operation, name: string, value: unknown): object {
  if (value === undefined) return {}
  if (isObject(value)) return value
  throw new TypeError(`${id} takes an object for ${name}`)
}
