import type { Caller } from '../auth/index.ts'
import type { Request } from '../operation.ts'
import type { Resource } from '../record/index.ts'
import type { Services } from '../services.ts'
import { type Reader, statement } from '../sql/index.ts'

/** The most records that one key finds: applications may have the same key for different ones. */
const mostFound = 50

/** $1 organization, $2 key, $3 kinds: the records that some application has under this key. */
const selectRecordsWithKey = statement(
  'select_records_with_key',
  `select k.kind, k.resource_id as id
     from applications a
    cross join unnest($3::text[]) as w(kind)
    cross join lateral (
      select e.kind, e.resource_id from external_keys e
       where e.organization_id = $1 and e.application_id = a.id and e.kind = w.kind and not e.gone and e.key = $2
      offset 0) as k
    where a.organization_id = $1
    order by k.resource_id desc limit ${mostFound}`,
)

/** A record that has the looked-for text as its key. */
export interface RecordWithKey {
  readonly kind: string
  readonly id: string
}

/**
 * The records of these kinds that an application of the organization has under exactly this key: 50 at most, each once. Users see the
 * keys of all applications, and so find records by them; for an application there are none.
 */
export async function recordsWithKey(
  text: string,
  kinds: readonly string[],
  { caller: { credential, organization }, reader }: { readonly caller: Caller; readonly reader: Reader },
  { database }: Pick<Services, 'database'>,
): Promise<readonly RecordWithKey[]> {
  if (!('session' in credential)) return []
  const rows = await database.query(selectRecordsWithKey, [organization.id, text.trim(), kinds], reader)
  const byId = new Map(rows.map(({ kind, id }) => [String(id), { kind: String(kind), id: String(id) }]))
  return [...byId.values()]
}

/** The same for the `search` of a list: the ids of the records that the page shows before all others. */
export async function keyedInList(
  { kind }: Resource,
  request: Pick<Request, 'caller' | 'query' | 'reader'>,
  services: Pick<Services, 'database'>,
): Promise<readonly string[]> {
  const { search } = request.query
  const keyed = typeof search === 'string' ? await recordsWithKey(search, [kind], request, services) : []
  return keyed.map(({ id }) => id)
}
