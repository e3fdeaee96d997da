import { notFound, type Refusal, refuse } from '../../errors/index.ts'
import type { Request, Success } from '../../operation.ts'
import type { JsonObject } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Row, Statement } from '../../sql/index.ts'
import { readPage } from '../read-page.ts'

/** How to read the records of one parent, a page at a time. */
interface PartPage {
  /** The path parameter with the id of the parent. */
  readonly parameter: string
  /** The selected column by which rows are ordered; rows with the same value are ordered by id. */
  readonly ordered: string
  /**
   * Parameters: $1 organization, $2 id of the parent, $3 the limit. A following page (`goesOn`) also has $4 and $5: value and id of the
   * last row of the previous page. The result is one row of nulls if the parent has no parts, and no row if the parent does not exist. In
   * the rows of a parent that was anonymized, `ownerGone` is true.
   */
  statement(goesOn: boolean): Statement
  /** Reduces the rows of each part to one, if the statement returns several. */
  whole?(rows: readonly Row[]): Row[]
  /** A row in the form of answers, before redaction. */
  show(row: Row): JsonObject
}

/** A page of the records of one parent (contract section 17.2): none appears twice, none is skipped. 404 if the parent does not exist, 410 if it was anonymized. */
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
      if (found[0]?.ownerGone === true) return refuse('resource_deleted')
      for (const row of whole(found.filter(({ id }) => id !== null))) page.add(row, 0)
    },
  })
}
