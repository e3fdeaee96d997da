import { notFound, Refusal } from '../../errors/index.ts'
import { limits } from '../../limits/index.ts'
import type { Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import type { Row, Statement } from '../../sql/index.ts'
import { readPosition } from '../read-page.ts'

/** How the records that belong to one record are read, a page at a time. */
export interface PartPage {
  /** The path parameter that names the record that they belong to. */
  readonly parameter: string
  /** The selected column by which rows are ordered; rows with the same value are ordered by id. */
  readonly ordered: string
  /**
   * Parameters: $1 organization, $2 id of the record, $3 the most rows. A following page (`goesOn`) also has $4 and $5:
   * value and id of the last row of the page before. The result is one row of nulls if the record has no parts, and no
   * row if there is no such record.
   */
  statement(goesOn: boolean): Statement
  /** Reduces several rows for one part to one row, if the statement gives several. */
  whole?(rows: readonly Row[]): Row[]
}

/**
 * A page of the records that belong to one record (contract section 17.2): none comes twice, none is skipped. 404 when
 * there is no such record.
 */
export async function readPartPage(
  { parameter, ordered, statement, whole }: PartPage,
  request: Request,
  services: Services,
): Promise<{ rows: Row[]; nextCursor: string | null } | Refusal> {
  const { caller, query, path, reader } = request
  const parentId = path[parameter]
  const limit = Number(query.limit ?? limits.listDefault)
  const begin = readPosition(request, services, { parentId })
  if (begin instanceof Refusal) return begin
  const { after, cursorTo } = begin
  const position = after === null ? [] : [after.value, after.id]
  // One row more than asked for tells whether there is a next page.
  const values = [caller.organization.id, parentId, limit + 1, ...position]
  const found = await services.database.query(statement(after !== null), values, reader)
  if (found.length === 0) return notFound()
  const filled = found.filter(({ id }) => id !== null)
  const rows = whole === undefined ? filled : whole(filled)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, nextCursor: cursorTo(last && { value: last[ordered], id: last.id }) }
}
