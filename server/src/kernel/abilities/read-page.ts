import { Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Request, Success } from '../operation.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { ListedRecords } from './listed-records.ts'

type Filters = Readonly<Record<string, unknown>>

/** The start of a page, and the cursor of the next one. */
interface PagePosition {
  /** The position in the cursor of the request; null for the first page. */
  readonly after: JsonObject | null
  /** The cursor for this position; null on the last page. */
  cursorTo(position: JsonObject | null | undefined): string | null
}

/** Reads the `cursor` of a request, which is valid only for its route and these filters: `invalid_cursor` for any other. */
export function readPosition(
  { operation, caller, query }: Request,
  { secret }: Pick<Services, 'secret'>,
  filters: Filters,
): PagePosition | Refusal {
  const { cursor } = query
  const { entry, organization } = caller
  const scope = { entry, organizationId: organization.id, route: operation.path, filters }
  const after = typeof cursor === 'string' ? readCursor(secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')
  return { after, cursorTo: position => (position ? writeCursor(secret, scope, position) : null) }
}

/** The source of a page. */
interface PageSource<Entry> {
  /** An entry in the form of answers, before redaction. */
  show(entry: Entry): JsonObject
  /** The position of an entry in a cursor. */
  positionOf(entry: Entry): JsonObject
  /** What a cursor is valid for, in addition to the filters of the request. */
  readonly within?: Filters
  /**
   * Adds the entries after `after`, at most `most`, which is one more than the page shows. If it returns a position, the next page begins
   * there instead of after the last entry; it may refuse.
   */
  fill(
    page: ListedRecords<Entry>,
    asked: { readonly after: JsonObject | null; readonly most: number; readonly filters: Filters },
  ): Promise<JsonObject | null | Refusal | void>
}

/** The answer to a request for a page of a list: no entry appears twice, none is skipped (contract section 0, "Cursor"). */
export async function readPage<Entry>(
  request: Request,
  services: Services,
  { show, positionOf, within, fill }: PageSource<Entry>,
): Promise<Success | Refusal> {
  const { cursor: _, limit = limits.listDefault, ...filters } = request.query
  const position = readPosition(request, services, { ...filters, ...within })
  if (position instanceof Refusal) return position
  const page = new ListedRecords<Entry>(request, services, { show, positionOf, limit: Number(limit) })
  const next = await fill(page, { after: position.after, most: Number(limit) + 1, filters })
  if (next instanceof Refusal) return next
  return page.answer({ nextCursor: position.cursorTo(next === undefined ? page.next : next) })
}
