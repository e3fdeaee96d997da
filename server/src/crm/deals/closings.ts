import { type Services, unattended } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'

/** Kinds of events that the history of a deal has and the feed has not. */
export const closingKinds = ['deal.won', 'deal.lost', 'deal.reopened'] as const

export type DealClosing = (typeof closingKinds)[number]

/** Whether events of this kind are derived from others. */
export function isDealClosing(kind: string): kind is DealClosing {
  return closingKinds.some(each => each === kind)
}

/** $1 organization, $2 deals, $3 times and $4 versions of their changes. Reads a few entries of the history of each. */
const selectClosings = statement(
  'select_closings_of_deals',
  `select e.deal_id, e.deal_version, e.kind
     from unnest($2::uuid[], $3::timestamptz[], $4::bigint[]) as c (deal_id, at, version)
     join deal_events e on e.organization_id = $1 and e.deal_id = c.deal_id and e.created_at = c.at and e.deal_version = c.version
    where e.kind in ('deal.won', 'deal.lost', 'deal.reopened')`,
)

/** An event of the feed, as far as it matters here. */
interface Change {
  readonly id: string
  readonly resourceType: string
  readonly resourceId: string
  readonly operation: string
  readonly version: number | null
  readonly changedFields: readonly string[]
  readonly occurredAt: string
}

/**
 * By the id of a change: whether the deal was won, lost or reopened by it. Reads the history once for all changes, and only if one of them
 * has changed the status of a deal.
 */
export async function readDealClosings(
  organizationId: string,
  changes: readonly Change[],
  { database }: Pick<Services, 'database'>,
): Promise<ReadonlyMap<string, DealClosing>> {
  const closing = changes.filter(mayClose)
  if (closing.length === 0) return new Map()
  const values = [
    organizationId,
    closing.map(({ resourceId: id }) => id),
    closing.map(({ occurredAt: at }) => at),
    closing.map(({ version }) => version),
  ]
  const rows = await database.query(selectClosings, values, unattended(organizationId))
  const kinds = new Map(rows.map(row => [`${String(row.deal_id)} ${String(row.deal_version)}`, String(row.kind)]))
  return new Map(
    closing.flatMap(({ id, resourceId: deal, version }) => {
      const kind = kinds.get(`${deal} ${version}`)
      return kind !== undefined && isDealClosing(kind) ? [[id, kind] as const] : []
    }),
  )
}

function mayClose({ resourceType: type, operation, changedFields: fields }: Change): boolean {
  return type === 'deal' && (operation === 'created' || fields.includes('status'))
}
