import type { Database } from '../server/src/kernel/sql/index.ts'
import type { SalesConfiguration } from './sales-configuration.ts'
import { withoutCostly } from './without-costly.ts'

/** Adds deals to an organization, with their stage spans, and a tenth as many tasks. */
export async function fillSales(database: Database, configuration: SalesConfiguration, deals: number): Promise<void> {
  await withoutCostly(database, dealRows(configuration, deals) + taskRows(configuration, Math.floor(deals / 10)))
}

/**
 * Deals of two years, in the order of their ids. Two thirds are in the first pipeline; six of ten have passed three open stages and were
 * closed, unless that time lies in the future. `steps` is the number of stages that a deal has entered until now.
 */
function dealRows({ organizationId, pipelines, operators, lostReasons }: SalesConfiguration, count: number): string {
  const stages = idsOf(pipelines.flatMap(pipeline => pipeline.stages))
  const pipelineIds = idsOf(pipelines.map(({ id }) => id))
  return `
    with ${drawn(organizationId, 'deal', count)},
    made as materialized (
      select n, at, ${dice(20, 24)} as dice, 1 + (${dice(26, 16)} % 3 = 0)::integer as pipeline, ${id} as id,
             array[at, at + interval '1 hour' * (1 + ${dice(1, 12)} % 480),
               at + interval '1 hour' * (481 + ${dice(4, 12)} % 480),
               at + interval '1 hour' * (961 + ${dice(7, 12)} % 480)] as times
        from drawn),
    gone as materialized (
      select made.*, (select count(*) from unnest(times) as t where t <= now())::integer as past,
             case dice % 10 when 0 then 1 when 1 then 1 when 2 then 2 when 3 then 3 else 4 end as most,
             case when dice / 10 % 100 < 63 then 4 else 5 end as closing
        from made),
    rows as materialized (
      select gone.*, least(past, most) as steps, least(past, most) = 4 as is_closed from gone),
    spans as (
      insert into deal_stage_spans (organization_id, deal_id, number, pipeline_id, stage_uuid, entered_at, left_at)
      select '${organizationId}', id, number, (${pipelineIds})[pipeline],
             (${stages})[5 * (pipeline - 1) + case number when 4 then closing else number end],
             times[number], case when number < steps then times[number + 1] end
        from rows, generate_series(1, steps) as number)
    insert into deals (organization_id, id, version, created_at, updated_at, owner_uuid, kind, title, amount, currency,
      items_total, pipeline_id, stage_uuid, status, rank, lost_reason_category_uuid, stage_changed_at, stage_span,
      closed_at, items_count, activities_count, files_count, custom_fields, tag_ids, search_names, search_contact_data,
      search_custom_fields)
    select '${organizationId}', id, steps, at, times[steps], ${oneOf(operators, '(dice / 1000)')}, 'ordinary',
           'Order ' || n || ' of chairs', case when dice % 20 > 0 then round((dice % 1000000)::numeric / 100, 2) end,
           case when dice % 20 > 0 then case when dice % 4 = 0 then 'EUR' else 'USD' end end, 0,
           (${pipelineIds})[pipeline], (${stages})[5 * (pipeline - 1) + case when is_closed then closing else steps end],
           case when not is_closed then 'open' when closing = 4 then 'won' else 'lost' end,
           'a0' || lpad(to_hex(${count} - n), 6, '0') || 'V',
           case when is_closed and closing = 5 then ${oneOf(lostReasons, 'dice')} end,
           times[steps], steps, case when is_closed then times[4] end, 0, 0, 0, '{}', '{}',
           'order ' || n || ' of chairs', '', ''
      from rows;`
}

/** Tasks of the same two years: half were done within ten days, the others are due. */
function taskRows({ organizationId, operators }: SalesConfiguration, count: number): string {
  return `
    with ${drawn(organizationId, 'task', count)}
    insert into tasks (organization_id, id, version, created_at, updated_at, title, type, status, priority,
      assignee_uuid, due_date, completed_at, checklist_items_total, checklist_items_done, files_count, custom_fields,
      tag_ids, search_names, search_contact_data, search_custom_fields)
    select '${organizationId}', ${id}, 1, at, at, 'Call about order ' || n, 'call',
           case when n % 2 = 0 then 'done' else 'todo' end, 'medium', ${oneOf(operators, 'n')},
           to_char(at + interval '7 days', 'YYYY-MM-DD'),
           case when n % 2 = 0 then at + interval '1 hour' * (n % 240) end, 0, 0, 0, '{}', '{}',
           'call about order ' || n, '', ''
      from drawn;`
}

/** Numbers from 0, each with a time in the last two years and pseudo-random digits. */
function drawn(organizationId: string, kind: string, count: number): string {
  return `drawn as materialized (
      select n, md5('${organizationId}${kind}' || n) as noise,
             date_trunc('milliseconds', now() - interval '730 days' * (1 - n::float8 / ${count})) as at
        from generate_series(0, ${count - 1}) as n)`
}

/** A UUID of version 7 for its time. */
const id = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
               || substr(noise, 4, 15))::uuid`

const dice = (from: number, bits: number) => `('x' || substr(noise, ${from}, ${bits / 4}))::bit(${bits})::integer`
const idsOf = (ids: readonly string[]) => `'{${ids.join(',')}}'::uuid[]`
const oneOf = (ids: readonly string[], number: string) => `(${idsOf(ids)})[1 + ${number} % ${ids.length}]`
