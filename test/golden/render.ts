import { describeApi } from '../../server/src/entrypoints/http/reference/describe-api.ts'
import type { Operation } from '../../server/src/kernel/index.ts'
import { projectionScopes } from '../../server/src/kernel/redact/index.ts'
import { nestedResources, operations, resources } from '../../server/src/modules.ts'

/** The document as it is reviewed: the address of a server is no part of the contract. */
export const goldenDocument = describeApi()

/** What the declarations add up to, by file name; a change of the API is reviewed as a change of these files. */
export function renderGoldenFiles(): Readonly<Record<string, string>> {
  return {
    'openapi.json': `${JSON.stringify(goldenDocument, null, 2)}\n`,
    'operations.txt': table(operationRows()),
    'redaction.txt': table(redactionRows()),
  }
}

/** Method, path, id, class and scopes of each operation. */
function operationRows(): string[][] {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const byPath = (one: Operation, other: Operation) =>
    one.path === other.path
      ? methods.indexOf(one.method) - methods.indexOf(other.method)
      : one.path < other.path
        ? -1
        : 1
  return operations.toSorted(byPath).map(operation => {
    const { id, method, path, scopes } = operation
    const byQuery = operation.scopesOf === undefined ? [] : ['(by query)']
    return [id, method, path, classOf(operation), [...scopes, ...byQuery].join(' ') || '(any token)']
  })
}

/** What an operation does to records; the scopes tell it better than the method. */
function classOf({ method, scopes }: Operation): 'read' | 'write' | 'delete' {
  if (method === 'GET' || scopes.every(scope => scope.endsWith('_read'))) return 'read'
  return method === 'DELETE' || scopes.some(scope => scope.endsWith('_delete')) ? 'delete' : 'write'
}

/** Which members of a record are absent without which scope. */
function redactionRows(): string[][] {
  return [...resources, ...nestedResources].flatMap(({ kind, projection: whole, protectedMembers }) => {
    const record = whole === undefined ? [] : [[whole, ['(the whole record)']] as const]
    return [...record, ...protectedMembers]
      .map(([projection, members]) => [kind, projection, projectionScopes[projection], members.join(' ')])
      .sort(([, one = ''], [, other = '']) => (one < other ? -1 : 1))
  })
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${rows.map(line).join('\n')}\n`
}
