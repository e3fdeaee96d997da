import { jsonBodyOf, type Operation } from '../../../server/src/kernel/index.ts'

/**
 * One operation of each shape: of those that are alike in method, in the number of ids in the path, in whether they
 * take a body, a batch, or a key. What is checked before execution cannot tell them apart further, so that a file can
 * send all its hostile forms to one of them, and one form to every route.
 */
export function oneOfEachShape(operations: readonly Operation[]): Operation[] {
  return firstOfEach(operations, operation => {
    const { method, path, idempotent } = operation
    const body = jsonBodyOf(operation)
    const takesBody = body === null ? 'none' : body.required ? 'required' : 'optional'
    return [method, path.split('{').length, takesBody, body?.parseInSteps !== undefined, idempotent].join()
  })
}

/** Each query parameter that is declared differently, with one operation that has it. */
export function oneOfEachParameter(operations: readonly Operation[]): (readonly [string, string, Operation])[] {
  const declared = operations.flatMap(operation =>
    Object.entries(operation.query).map(([name, { schema }]) => ({ operation, name, schema })),
  )
  const distinct = firstOfEach(declared, ({ name, schema }) => JSON.stringify([name, schema]))
  return distinct.map(({ operation, name }) => [`${operation.method} ${operation.path}`, name, operation] as const)
}

function firstOfEach<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  return [...new Map(items.toReversed().map(item => [groupOf(item), item])).values()].reverse()
}
