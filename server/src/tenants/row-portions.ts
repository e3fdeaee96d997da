import { identifier, type LongTransaction, type Statement, type TenantTable } from '../kernel/sql/index.ts'
import { TenantError } from './tenant-error.ts'

const mostLines = 1000
const mostCharacters = 1024 * 1024

interface WaitingLine {
  readonly number: number
  readonly text: string
}

/** Writes rows of one organization, in portions of one table that travel together. */
export class RowPortions {
  readonly #transaction: LongTransaction
  readonly #organizationId: string
  #table: TenantTable | null = null
  #lines: WaitingLine[] = []
  #characters = 0

  constructor(transaction: LongTransaction, organizationId: string) {
    this.#transaction = transaction
    this.#organizationId = organizationId
  }

  /** Adds a line of the file, which is known to be a row of this table. Throws like `flush`. */
  async add(table: TenantTable, line: WaitingLine): Promise<void> {
    if (table !== this.#table) await this.flush()
    this.#table = table
    this.#lines.push(line)
    this.#characters += line.text.length
    if (this.#lines.length >= mostLines || this.#characters >= mostCharacters) await this.flush()
  }

  /** Writes what waits. Throws a `TenantError` with the number of the line for a row that the database refuses. */
  async flush(): Promise<void> {
    const [table, lines] = [this.#table, this.#lines]
    this.#lines = []
    this.#characters = 0
    if (table === null || lines.length === 0) return
    const values = lines.map(({ text }) => [this.#organizationId, text])
    const failed = await this.#transaction.queryEach(insertRow(table), values)
    if (failed === null) return
    if (!isRefusal(failed.error)) throw failed.error
    const { message } = failed.error
    throw new TenantError(`line ${lines[failed.index]?.number}, a row of ${table.name}: ${message}`, {
      cause: failed.error,
    })
  }
}

// One statement for each line, because PostgreSQL tells which statement it refused, and not which row. The organization is that
// of the file, whatever a row may say.
function insertRow({ name, columns, identity }: TenantTable): Statement {
  const names = columns.map(identifier)
  const [owner, ownerId] = identity === null ? ['organization_id, ', '$1::uuid, '] : ['', '']
  const text = `-- name: import_${name}
    insert into ${identifier(name)} (${owner}${names.join(', ')})
    select ${ownerId}${names.map(column => `r.${column}`).join(', ')}
      from json_populate_record(null::${identifier(name)}, $2::json -> 'row') as r
     ${identity === null ? '' : `where r.${identifier(identity)} = $1::uuid`}`
  return { name: `import_${name}`, text }
}

/** Whether PostgreSQL objects to what was sent: to values, to constraints, or to JSON that is nested too deeply. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:22|23|54)/u.test(String(error.code))
}
