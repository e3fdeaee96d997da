import { notFound, type Refusal } from '../../errors/index.ts'
import type { Request, Success } from '../../operation.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Row, Statement } from '../../sql/index.ts'
import { readPage } from '../read-page.ts'

/** How the records that belong to one record are read, a page at a time. */
interface PartPage {
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
  /** A row as the answer has it, before redaction. */
  show(row: Row): JsonObject
}

/**
 * A page of the records that belong to one record (contract section 17.2): none comes twice, none is skipped. 404 when
 * there is no such record.
 */
export function readPartPage(
  { parameter, ordered, statement, whole = rows => [...rows], show }: PartPage,
  request: Request,
  services: Services,
): Promise<Success | Refusal> {
  const { caller, path, reader } = request
  const parentId = path[parameter]
  return readPage<Row>(request, services, {
    show,
    positionOf: row => ({ value: row[ordered], id: row.id }),
    within: { parentId },
    async fill(page, { after, most }) {
      const values = [caller.organization.id, parentId, most, ...(after === null ? [] : [after.value, after.id])]
      const found = await services.database.query(statement(after !== null), values, reader)
      if (found.length === 0) return notFound()
      for (const row of whole(found.filter(({ id }) => id !== null))) page.add(row, 0)
    },
  })
}
