import { Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Request, Success } from '../operation.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { ListedRecords } from './listed-records.ts'

type Filters = Readonly<Record<string, unknown>>

/** Where a page begins, and the cursor to the one behind it. */
interface PagePosition {
  /** The position in the cursor of the request; null: the first page. */
  readonly after: JsonObject | null
  /** The cursor that names this position; null on the last page. */
  cursorTo(position: JsonObject | null | undefined): string | null
}

/** Reads the `cursor` of a request, which counts for its route and these filters alone: `invalid_cursor` for any other. */
export function readPosition(
  { operation, caller, query }: Request,
  { secret }: Pick<Services, 'secret'>,
  filters: Filters,
): PagePosition | Refusal {
  const { cursor } = query
  const scope = { organizationId: caller.organization.id, route: operation.path, filters }
  const after = typeof cursor === 'string' ? readCursor(secret, scope, cursor) : null
  if (cursor !== undefined && after === null) return refuse('invalid_cursor')
  return { after, cursorTo: position => (position ? writeCursor(secret, scope, position) : null) }
}

/** How a page is filled. */
interface PageSource<Entry> {
  /** An entry as the answer has it, before redaction. */
  show(entry: Entry): JsonObject
  /** What a cursor behind an entry names. */
  positionOf(entry: Entry): JsonObject
  /** What a cursor counts for beside the filters of the request. */
  readonly within?: Filters
  /**
   * Adds the entries behind `after`, at most `most`, which is one more than the page shows. A position that it gives is that of the next
   * page, instead of the one behind the last entry; it may refuse.
   */
  fill(
    page: ListedRecords<Entry>,
    asked: { readonly after: JsonObject | null; readonly most: number; readonly filters: Filters },
  ): Promise<JsonObject | null | Refusal | void>
}

/** The answer to a request for a page of a list: none comes twice, none is skipped (contract section 0, "Cursor"). */
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
