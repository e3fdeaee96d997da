import { notFound, Refusal } from '../../errors/index.ts'
import type { Outcome, Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { statement } from '../../sql/index.ts'
import { basePath } from '../ability.ts'

const readMerged = statement(
  'read_merged',
  `select m.id, m.into_id from merged_records m
    where m.organization_id = $1 and m.id = any ($2::uuid[]) and m.kind = $3`,
)

/** Where records of a kind went that were merged into others, by their own id. */
export async function mergedInto(
  kind: string,
  ids: readonly string[],
  { caller, reader }: Pick<Request, 'caller' | 'reader'>,
  { database }: Pick<Services, 'database'>,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await database.query(readMerged, [caller.organization.id, ids, kind], reader)
  return new Map(rows.map(row => [String(row.id), String(row.into_id)]))
}

/** The 404 of a record that was merged into another names that one (contract section 8). */
export async function explainMissing(
  outcome: Outcome | Refusal,
  request: Request,
  services: Services,
): Promise<Outcome | Refusal> {
  const { id } = request.path
  if (!(outcome instanceof Refusal) || outcome.code !== 'not_found' || id === undefined) return outcome
  const resource = services.resources.find(each => request.operation.path.startsWith(`${basePath(each)}/{id}`))
  // With a path it is something else in the request that is missing.
  if (resource === undefined || outcome.details.path !== undefined) return outcome
  const mergedIntoId = (await mergedInto(resource.kind, [id], request, services)).get(id)
  return mergedIntoId === undefined ? outcome : notFound(undefined, { mergedIntoId })
}
