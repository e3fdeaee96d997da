import { type Statement, statement } from '../../kernel/sql/index.ts'

/** Reads events of a deal, from the newest one or from a position. Events of a removed deal are kept but cannot be read. */
export function eventPage(goesOn: boolean): Statement {
  return goesOn ? selectOlderEvents : selectNewestEvents
}

const selectNewestEvents = statement('select_newest_deal_events', textOf(''))
const selectOlderEvents = statement(
  'select_older_deal_events',
  textOf('and (e.created_at, e.id) < ($4::timestamptz, $5::uuid)'),
)

function textOf(behind: string): string {
  return `select page.* from deals d
  left join lateral (
    select e.id, e.deal_id as "dealId", e.kind, e.created_at as "createdAt", e.deal_version as "dealVersion",
           e.actor_type as "actorType", e.actor_uuid as "actorUuid", e.application_id as "applicationId",
           e.request_id as "requestId", e.data
      from deal_events e
     where e.organization_id = $1 and e.deal_id = d.id ${behind}
     order by e.created_at desc, e.id desc limit $3) page on true
 where d.organization_id = $1 and d.id = $2`
}
