import { readCursor, writeCursor } from '../../cursor.ts'
import { notFound, type Refusal, refuse } from '../../errors/index.ts'
import { limits } from '../../limits/index.ts'
import type { Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import type { Row, Statement } from '../../sql/index.ts'

/** How what belongs to one record is read, a page at a time. */
export interface PartPage {
  /** Of the record: the path parameter that names it. */
  readonly parameter: string
  /** Selected column that the order begins with; the id decides between equals. */
  readonly ordered: string
  /**
   * $1 organization, $2 the record, $3 most of them; of a page that goes on $4 and $5: value and id of the last row of the
   * page before. One row with nulls when there is the record and nothing in it; none when there is no record.
   */
  statement(goesOn: boolean): Statement
  /** Where a record has several rows: one row for each record, in their order. */
  whole?(rows: readonly Row[]): Row[]
}

/**
 * A page of what belongs to one record (contract section 17.2): nothing comes twice, nothing is skipped. 404 when there
 * is no such record.
 */
export async function readPartPage(
  { parameter, ordered, statement, whole }: PartPage,
  { operation, caller, query, path, reader }: Request,
  { database, secret }: Services,
): Promise<{ rows: Row[]; nextCursor: string | null } | Refusal> {
  const parentId = path[parameter]
  const limit = Number(query.limit ?? limits.listDefault)
  const scope = { organizationId: caller.organization.id, route: operation.path, filters: { parentId } }
  const after = typeof query.cursor === 'string' ? readCursor(secret, scope, query.cursor) : null
  if (query.cursor !== undefined && after === null) return refuse('invalid_cursor')
  const position = after === null ? [] : [after.value, after.id]
  // One row more than asked for tells whether there is a next page.
  const values = [caller.organization.id, parentId, limit + 1, ...position]
  const found = await database.query(statement(after !== null), values, reader)
  if (found.length === 0) return notFound()
  const filled = found.filter(({ id }) => id !== null)
  const rows = whole === undefined ? filled : whole(filled)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const nextCursor = last === undefined ? null : writeCursor(secret, scope, { value: last[ordered], id: last.id })
  return { rows: page, nextCursor }
}
