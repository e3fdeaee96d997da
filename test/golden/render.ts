import { describeApi } from '../../server/src/entrypoints/http/reference/describe-api.ts'
import { projectionScopes } from '../../server/src/kernel/redact/index.ts'
import { nestedResources, operations, resources } from '../../server/src/modules.ts'
import { renderCabinetDocument } from './cabinet-document.ts'
import { operationRows } from './operation-rows.ts'
import { roleTable } from './role-table.ts'

/** The document as it is reviewed: the address of a server is no part of the contract. */
export const goldenDocument = describeApi()

/** What the declarations add up to, by file name; a change of the API is reviewed as a change of these files. */
export function renderGoldenFiles(): Readonly<Record<string, string>> {
  return {
    'openapi.json': `${JSON.stringify(goldenDocument, null, 2)}\n`,
    'operations.json': `[\n${operationRows(operations, goldenDocument)
      .map(row => JSON.stringify(row))
      .join(',\n')}\n]\n`,
    'redaction.txt': table(redactionRows()),
    'cabinet.json': renderCabinetDocument(),
    'roles.txt': table(roleTable()),
  }
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
