import { before, currency, from, ofEachStage, organization, type Parts, to, within } from './summary-values.sql.ts'

/**
 * Named parts of the statement that several figures share: `grouped` aggregates all deals, `spans` holds the stage spans of the filtered
 * deals.
 */
export function dealFragments(parts: Parts): string[] {
  return [matched(parts), ...(parts.isFiltered ? [spans] : []), floor(parts), grouped(parts), largest(parts)]
}

// With a filter, the few matching deals are read once into `matched`. Without one, each part reads the table itself.
function matched({ deals, isFiltered }: Parts): string {
  return `matched as ${isFiltered ? 'materialized' : 'not materialized'} (
     select d.id, d.created_at, d.closed_at, d.status, d.stage_changed_at, d.stage_uuid, d.pipeline_id, d.owner_uuid,
            d.lost_reason_category_uuid, d.amount, d.currency
       from deals d
      where d.organization_id = ${organization} and d.created_at < ${to}${deals})`
}

// The spans are looked up deal by deal, because a filter leaves few deals.
const spans = `spans as materialized (
     select s.stage_uuid, s.deal_id, s.entered_at, s.left_at
       from matched d
      cross join lateral (
        select s.stage_uuid, s.deal_id, s.entered_at, s.left_at from deal_stage_spans s
         where s.organization_id = ${organization} and s.deal_id = d.id offset 0) s
      where d.stage_changed_at >= ${from})`

/**
 * All deals, grouped by their stage at the end of the period and by other columns. Grouping by computed values would take half as long
 * again. `closed` counts the deals closed in the period, `closed_before` those closed in the period before it. `largest` holds the greatest
 * amount of a group and the time at which its deal was closed; the part `largest` finds that deal by these two values without reading all
 * deals again.
 */
function grouped(parts: Parts): string {
  const { pipeline, isPast } = parts
  // A deal is closed when it enters its last stage. The deals counted here entered it before the period ended.
  const isClosed = `d.closed_at >= ${from}`
  const stayed = isPast ? ` and d.stage_changed_at < ${to}` : ''
  return `grouped as materialized (
     select d.stage_uuid as stage, d.currency, d.owner_uuid as owner, d.lost_reason_category_uuid as reason,
            ${standing},
            count(*) filter (where ${isClosed}) as closed,
            count(d.amount) filter (where ${isClosed}) as closed_priced,
            sum(d.amount) filter (where ${isClosed}) as closed_amount,
            count(*) filter (where d.closed_at >= ${before} and d.closed_at < ${from}) as closed_before,
            max(array[d.amount, extract(epoch from d.closed_at)])
              filter (where ${isClosed} and d.amount >= (select f.amount from floor f)
                and d.amount > 0 and d.status = 'won' and d.currency = ${currency}) as largest
       from matched d where true${stayed}${pipeline}
      group by 1, 2, 3, 4${isPast ? moved(parts) : ''})`
}

const standing = `count(*) filter (where d.created_at >= ${from}) as created, count(*) as deals, sum(d.amount) as amount`

/**
 * The deals that left their stage after the period. At the end of the period they were in the stage whose span extends beyond it, so none
 * of them was closed in the period. They are few, so each one is looked up separately.
 */
function moved({ stages, isFiltered }: Parts): string {
  const lasted = `s.left_at >= ${to} and s.entered_at < ${to}`
  const source = isFiltered
    ? `spans s join matched d on d.id = s.deal_id where s.stage_uuid = any (${stages}) and ${lasted}`
    : `${ofEachStage(stages, 's.deal_id, s.stage_uuid', lasted)}
       cross join lateral (
         select d.created_at, d.currency, d.amount from deals d
          where d.organization_id = ${organization} and d.id = s.deal_id offset 0) d`
  return `
     union all
     select s.stage_uuid, d.currency, null, null, ${standing}, 0, 0, null, 0, null
       from ${source}
      group by s.stage_uuid, d.currency`
}

// The largest amount among the first 1,000 deals. No smaller deal can be the largest of all, so one comparison rules out nearly all others.
function floor({ pipeline }: Parts): string {
  return `floor as materialized (
     select coalesce(max(x.amount), 0) as amount
       from (select d.status, d.currency, d.amount
               from matched d where ${within('d.closed_at')}${pipeline}
              order by d.closed_at limit 1000) x
      where x.status = 'won' and x.currency = ${currency})`
}

function largest({ pipeline }: Parts): string {
  const greatest = (place: number) => `(select (max(g.largest))[${place}] from grouped g)`
  return `largest as materialized (
     select d.id, d.amount from matched d
      where d.closed_at = to_timestamp(${greatest(2)}) and d.amount = ${greatest(1)}
        and d.status = 'won' and d.currency = ${currency}${pipeline})`
}
