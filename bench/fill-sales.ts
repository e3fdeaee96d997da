import { type Database, statement } from '../server/src/kernel/sql/index.ts'

/** What the deals of an organization are filled with: ids of its configuration. */
export interface SalesConfiguration {
  readonly organizationId: string
  /** Of each pipeline three open stages, a won and a lost one. */
  readonly pipelines: readonly { readonly id: string; readonly stages: readonly string[] }[]
  readonly operators: readonly string[]
  readonly lostReasons: readonly string[]
}

// Deals of two years, in the order of their ids. Two thirds are of the first pipeline; six of ten have gone through three
// open stages and were closed, unless that lies ahead. `steps` is how many stages a deal has entered until now.
const fillDeals = statement(
  'bench_fill_deals',
  `with drawn as materialized (
      select n, md5($1::uuid::text || 'deal' || n) as noise,
             date_trunc('milliseconds', now() - interval '730 days' * (1 - n::float8 / $2::integer)) as at
        from generate_series($3::integer, $4::integer) as n),
    made as materialized (
      select n, at, ('x' || substr(noise, 20, 6))::bit(24)::integer as dice,
             1 + (('x' || substr(noise, 26, 4))::bit(16)::integer % 3 = 0)::integer as pipeline,
             array[at, at + interval '1 hour' * (1 + ('x' || substr(noise, 1, 3))::bit(12)::integer % 480),
               at + interval '1 hour' * (481 + ('x' || substr(noise, 4, 3))::bit(12)::integer % 480),
               at + interval '1 hour' * (961 + ('x' || substr(noise, 7, 3))::bit(12)::integer % 480)] as times,
             (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
               || substr(noise, 4, 15))::uuid as id
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
      select $1, id, number, ($5::uuid[])[pipeline],
             ($6::uuid[])[5 * (pipeline - 1) + case number when 4 then closing else number end],
             times[number], case when number < steps then times[number + 1] end
        from rows, generate_series(1, steps) as number)
    insert into deals (organization_id, id, version, created_at, updated_at, owner_uuid, kind, title, amount, currency,
      items_total, pipeline_id, stage_uuid, status, rank, lost_reason_category_uuid, stage_changed_at, stage_span,
      closed_at, items_count, activities_count, files_count, custom_fields, tag_ids, search_names, search_contact_data,
      search_custom_fields)
    select $1, id, steps, at, times[steps], ($7::uuid[])[1 + dice % cardinality($7::uuid[])], 'ordinary',
           'Order ' || n || ' of chairs', case when dice % 20 > 0 then round((dice % 1000000)::numeric / 100, 2) end,
           case when dice % 20 > 0 then case when dice % 4 = 0 then 'EUR' else 'USD' end end, 0,
           ($5::uuid[])[pipeline],
           ($6::uuid[])[5 * (pipeline - 1) + case when is_closed then closing else steps end],
           case when not is_closed then 'open' when closing = 4 then 'won' else 'lost' end,
           'a0' || lpad(to_hex($2::integer - n), 6, '0') || 'V',
           case when is_closed and closing = 5 then ($8::uuid[])[1 + dice % cardinality($8::uuid[])] end,
           times[steps], steps, case when is_closed then times[4] end, 0, 0, 0, '{}', '{}',
           'order ' || n || ' of chairs', '', ''
      from rows`,
)

// Tasks of the same two years: half are done within ten days, the others are due.
const fillTasks = statement(
  'bench_fill_tasks',
  `insert into tasks (organization_id, id, version, created_at, updated_at, title, type, status, priority, assignee_uuid,
     due_date, completed_at, checklist_items_total, checklist_items_done, files_count, custom_fields, tag_ids,
     search_names, search_contact_data, search_custom_fields)
   select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
            || substr(noise, 4, 15))::uuid, 1, at, at, 'Call about order ' || n, 'call',
          case when n % 2 = 0 then 'done' else 'todo' end, 'medium', ($5::uuid[])[1 + n % cardinality($5::uuid[])],
          to_char(at + interval '7 days', 'YYYY-MM-DD'),
          case when n % 2 = 0 then at + interval '1 hour' * (n % 240) end, 0, 0, 0, '{}', '{}',
          'call about order ' || n, '', ''
     from (select n, md5($1::uuid::text || 'task' || n) as noise,
                  date_trunc('milliseconds', now() - interval '730 days' * (1 - n::float8 / $2::integer)) as at
             from generate_series($3::integer, $4::integer) as n) as made`,
)

// A reference that is checked and a search index that is made for finished tables cost less than for each row.
const reference = 'deal_stage_spans_organization_id_deal_id_fkey'
const dropCostly = `drop index deals_search_names; alter table deal_stage_spans drop constraint ${reference}`
const addCostly = `create index deals_search_names on deals using gin (organization_id, search_names gin_trgm_ops);
  alter table deal_stage_spans add constraint ${reference}
    foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade`

const portion = 5_000

/** Gives an organization deals, with the spans that they stood in each stage, and a tenth as many tasks. */
export async function fillSales(database: Database, configuration: SalesConfiguration, deals: number): Promise<void> {
  const { organizationId, pipelines, operators, lostReasons } = configuration
  const pipelineIds = pipelines.map(({ id }) => id)
  const stages = pipelines.flatMap(pipeline => pipeline.stages)
  await database.script(dropCostly)
  // In portions, because a statement of the product may take a few seconds.
  for (let first = 0; first < deals; first += portion) {
    const last = Math.min(first + portion, deals) - 1
    const values = [organizationId, deals, first, last, pipelineIds, stages, operators, lostReasons]
    await database.search(fillDeals, values)
  }
  await database.script(addCostly)
  const tasks = Math.floor(deals / 10)
  for (let first = 0; first < tasks; first += portion) {
    const last = Math.min(first + portion, tasks) - 1
    await database.search(fillTasks, [organizationId, tasks, first, last, operators])
  }
}
