import { binding, type Statement, statement } from '../../kernel/sql/index.ts'
import { type Conditions, conditionsOf, type Filters } from './filters.sql.ts'
import type { Period } from './period.ts'

/** What a summary is made for. */
export interface SummaryQuery {
  readonly organizationId: string
  readonly period: Period
  readonly filters: Filters
  /** Stages of all pipelines, or of the one that is asked for; archived ones too. */
  readonly stages: readonly string[]
  /** The currency in which the largest deal is looked for. */
  readonly currency: string
  /** Now, and the date that the clocks of the organization show at the end of the period, or now if that comes first. */
  readonly now: string
  readonly today: string
}

// The values of every summary. Further ones are those of its filters.
const [organization, from, to, before, end, today, currency] = [
  '$1',
  '$2::timestamptz',
  '$3::timestamptz',
  '$4::timestamptz',
  '$5',
  '$6',
  '$7',
]

/** The one statement of a summary, and its values. Its text depends on which filters there are, not on what they name. */
export function summaryStatement(query: SummaryQuery): { readonly statement: Statement; readonly values: unknown[] } {
  const { period, filters, stages } = query
  const isPast = period.to <= query.now
  const momentOfEnd = isPast ? period.to : query.now
  const values: unknown[] = [query.organizationId, period.from, period.to, period.before, momentOfEnd]
  values.push(query.today, query.currency)
  const bind = binding(values)
  const conditions = conditionsOf(filters, bind)
  const text = `with ${fragments(conditions).join(',\n   ')}
   select ${figures(conditions, `${bind(stages)}::uuid[]`, isPast).join(',\n          ')}`
  return { statement: statement(nameOf(filters, isPast), text), values }
}

function nameOf(filters: Filters, isPast: boolean): string {
  const given = Object.keys(filters).toSorted()
  return ['select_summary', ...(isPast ? ['past'] : []), ...given].join('_').toLowerCase()
}

const within = (time: string) => `${time} >= ${from} and ${time} < ${to}`

/** What several figures are made of. */
function fragments({ deals, pipeline }: Conditions): string[] {
  const isFiltered = deals !== ''
  // The few deals that a filter leaves are looked for once. Without a filter each part reads what it needs by its index.
  const matched = `matched as ${isFiltered ? 'materialized' : 'not materialized'} (
     select d.id, d.created_at, d.closed_at, d.status, d.stage_changed_at, d.stage_uuid, d.pipeline_id, d.owner_uuid,
            d.lost_reason_category_uuid, d.amount, d.currency
       from deals d
      where d.organization_id = ${organization} and d.created_at < ${to}${deals})`
  // Beside the sums the greatest amount and when its deal was closed, so that nobody looks for it among all of them.
  const closed = `closed as materialized (
     select d.status, d.owner_uuid as owner, d.lost_reason_category_uuid as reason, d.currency, ${sums},
            max(array[d.amount, extract(epoch from d.closed_at)])
              filter (where d.status = 'won' and d.currency = ${currency} and d.amount > 0) as largest
       from matched d where ${within('d.closed_at')}${pipeline}
      group by d.status, d.owner_uuid, d.lost_reason_category_uuid, d.currency)`
  const greatest = (place: number) => `(select (max(c.largest))[${place}] from closed c)`
  const largest = `largest as materialized (
     select d.id, d.amount from matched d
      where d.closed_at = to_timestamp(${greatest(2)}) and d.amount = ${greatest(1)}
        and d.status = 'won' and d.currency = ${currency}${pipeline})`
  // The spans of these few deals are looked up deal by deal.
  const spans = `spans as materialized (
     select s.stage_uuid, s.deal_id, s.entered_at, s.left_at
       from matched d
      cross join lateral (
        select s.stage_uuid, s.deal_id, s.entered_at, s.left_at from deal_stage_spans s
         where s.organization_id = ${organization} and s.deal_id = d.id offset 0) s
      where d.stage_changed_at >= ${from})`
  return [matched, closed, largest, ...(isFiltered ? [spans] : [])]
}

function figures(conditions: Conditions, stages: string, isPast: boolean): string[] {
  const { deals, pipeline } = conditions
  const isOfPipeline = pipeline !== ''
  const closed = `${within('d.closed_at')}${pipeline}`
  return [
    rows('standing', isPast ? standingThen(isOfPipeline ? stages : null) : standingNow(isOfPipeline ? stages : null)),
    rows('entered', deals === '' ? enteredByAll(stages) : enteredByMatched(stages)),
    rows(
      'left',
      `select s.stage_uuid as stage, count(*) as stays, extract(epoch from sum(s.left_at - s.entered_at)) as seconds
         from ${deals === '' ? `deal_stage_spans s where s.organization_id = ${organization}` : 'spans s where true'}
          and ${within('s.left_at')}
        group by s.stage_uuid`,
    ),
    rows('closed', 'select c.status, c.owner, c.reason, c.currency, c.deals, c.priced, c.amount from closed c'),
    // Days to the win, in tenths: so many numbers as there are tenths, however many deals there are.
    rows(
      'wins',
      `select floor(date_part('epoch', d.closed_at - d.created_at) / 8640 + 0.5) as tenths, count(*) as deals,
              extract(epoch from sum(d.closed_at - d.created_at)) as seconds
         from matched d where d.status = 'won' and ${closed}
        group by tenths`,
    ),
    `(select row_to_json(x) from (
        select l.id, l.amount::text as amount from largest l order by l.id limit 1) x) as largest`,
    rows(
      'previous',
      `select d.status, count(*) as deals
         from matched d where d.closed_at >= ${before} and d.closed_at < ${from}${pipeline}
        group by d.status`,
    ),
    ...ofOtherKinds(conditions),
  ]
}

// The deals of each stage come in the order of an index, so each is counted once without a table of those seen.
function enteredByAll(stages: string): string {
  return `select g.stage, e.deals
         from unnest(${stages}) as g(stage)
        cross join lateral (
          select count(*) as deals
            from (select distinct s.deal_id from deal_stage_spans s
                   where s.organization_id = ${organization} and s.stage_uuid = g.stage and ${within('s.entered_at')}) one) e
        where e.deals > 0`
}

function enteredByMatched(stages: string): string {
  return `select e.stage_uuid as stage, count(*) as deals
         from (select distinct s.stage_uuid, s.deal_id from spans s
                where s.stage_uuid = any (${stages}) and ${within('s.entered_at')}) e
        group by e.stage_uuid`
}

const sums = 'count(*) as deals, count(d.amount) as priced, sum(d.amount)::text as amount'

const standingSums = `count(*) filter (where d.created_at >= ${from}) as created, ${sums}`

// At the end of a period that is not over, deals stand where they stand now.
function standingNow(stages: string | null): string {
  return `select d.stage_uuid as stage, d.currency, ${standingSums}
         from matched d${stages === null ? '' : ` where d.stage_uuid = any (${stages})`}
        group by d.stage_uuid, d.currency`
}

// A deal that changed its stage after the period stood in the stage of the span that lasted beyond the end.
function standingThen(stages: string | null): string {
  return `select coalesce(s.stage_uuid, d.stage_uuid) as stage, d.currency, ${standingSums}
         from matched d
         left join deal_stage_spans s
           on s.organization_id = ${organization} and s.deal_id = d.id and d.stage_changed_at >= ${to}
              and s.entered_at < ${to} and s.left_at >= ${to}
        ${stages === null ? '' : `where coalesce(s.stage_uuid, d.stage_uuid) = any (${stages})`}
        group by coalesce(s.stage_uuid, d.stage_uuid), d.currency`
}

function ofOtherKinds({ tasks, contacts, companies }: Conditions): string[] {
  const created = `t.organization_id = ${organization} and ${within('t.created_at')}`
  // A date alone is due at the end of its day.
  const late = `t.due_date < case when length(t.due_date) = 10 then ${today} else ${end} end`
  return [
    `(select count(*) from contacts t where ${created} and t.anonymized_at is null${contacts}) as contacts`,
    `(select count(*) from companies t where ${created}${companies}) as companies`,
    `(select row_to_json(x) from (
        select count(*) filter (where ${within('t.created_at')}) as created,
               count(*) filter (where t.status = 'done' and ${within('t.completed_at')}) as done,
               count(*) filter (where t.status <> 'canceled' and ${late}
                 and (t.status <> 'done' or t.completed_at >= ${end}::timestamptz)) as overdue
          from tasks t
         where t.organization_id = ${organization} and t.created_at < ${to}${tasks}) x) as tasks`,
  ]
}

function rows(name: string, select: string): string {
  return `(select coalesce(json_agg(x), '[]') from (
       ${select}) x) as ${name}`
}
