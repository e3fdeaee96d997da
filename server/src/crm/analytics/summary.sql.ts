import { binding, type Statement, statement } from '../../kernel/sql/index.ts'
import { dealFragments } from './deal-groups.sql.ts'
import { analyticsConditions, type Conditions, type Filters } from './filters.sql.ts'
import type { Period } from './period.ts'
import { end, ofEachStage, organization, type Parts, to, today, within } from './summary-values.sql.ts'

/** The input of a summary. */
export interface SummaryQuery {
  readonly organizationId: string
  readonly period: Period
  readonly filters: Filters
  /** Stages of all pipelines, or of the requested one, including archived stages. */
  readonly stages: readonly string[]
  /** The currency in which the largest deal is determined. */
  readonly currency: string
  /** The current time, and the organization's local date at the end of the period, or now if that is earlier. */
  readonly now: string
  readonly today: string
}

/** The one statement of a summary, and its values. Its text depends on which filters are set, not on their values. */
export function summaryStatement(query: SummaryQuery): { readonly statement: Statement; readonly values: unknown[] } {
  const { period, filters } = query
  const isPast = period.to <= query.now
  const momentOfEnd = isPast ? period.to : query.now
  const values: unknown[] = [query.organizationId, period.from, period.to, period.before, momentOfEnd]
  values.push(query.today, query.currency)
  const bind = binding(values)
  const conditions = analyticsConditions(filters, bind)
  const stages = `${bind(query.stages)}::uuid[]`
  const parts = { ...conditions, stages, isFiltered: conditions.deals !== '', isPast }
  const text = `with ${dealFragments(parts).join(',\n   ')}
   select ${figures(parts).join(',\n          ')}`
  return { statement: statement(nameOf(filters, isPast), text), values }
}

function nameOf(filters: Filters, isPast: boolean): string {
  const given = Object.keys(filters).toSorted()
  return ['select_summary', ...(isPast ? ['past'] : []), ...given].join('_').toLowerCase()
}

function figures(parts: Parts): string[] {
  const { stages, pipeline, isFiltered } = parts
  return [
    rows(
      'standing',
      `select g.stage, g.currency, sum(g.created) as created,
              sum(g.deals) as deals, sum(g.amount)::text as amount
         from grouped g where g.stage = any (${stages})
        group by g.stage, g.currency`,
    ),
    rows('entered', isFiltered ? enteredByMatched(stages) : enteredByAll(stages)),
    rows('left', isFiltered ? leftByMatched : leftByAll(stages)),
    rows(
      'closed',
      `select t.type as status, g.owner, g.reason, g.currency,
              sum(g.closed) as deals, sum(g.closed_priced) as priced, sum(g.closed_amount)::text as amount
         from ${groupsByType} where g.closed > 0
        group by t.type, g.owner, g.reason, g.currency`,
    ),
    // Days to the win, in tenths: one row for each distinct value, however many deals there are.
    rows(
      'wins',
      `select floor(date_part('epoch', w.took) / 8640 + 0.5) as tenths, count(*) as deals,
              extract(epoch from sum(w.took)) as seconds
         from (select d.closed_at - d.created_at as took
                 from matched d where d.status = 'won' and ${within('d.closed_at')}${pipeline} offset 0) w
        group by tenths`,
    ),
    `(select row_to_json(x) from (
        select l.id, l.amount::text as amount from largest l order by l.id limit 1) x) as largest`,
    rows(
      'previous',
      `select t.type as status, sum(g.closed_before) as deals
         from ${groupsByType} where g.closed_before > 0
        group by t.type`,
    ),
    ...ofOtherKinds(parts),
  ]
}

// The status of a deal equals the type of its stage, which never changes.
const groupsByType = `grouped g join stages t on t.organization_id = ${organization} and t.id = g.stage`

// The index returns the deals of each stage in order, so distinct deals are counted without a hash table.
function enteredByAll(stages: string): string {
  const columns = 'g.stage, count(distinct s.deal_id) as deals'
  return `select s.stage, s.deals
         from ${ofEachStage(stages, columns, within('s.entered_at'))}
        where s.deals > 0`
}

function enteredByMatched(stages: string): string {
  return `select e.stage_uuid as stage, count(*) as deals
         from (select distinct s.stage_uuid, s.deal_id from spans s
                where s.stage_uuid = any (${stages}) and ${within('s.entered_at')}) e
        group by e.stage_uuid`
}

const stays = 'count(*) as stays, extract(epoch from sum(s.left_at - s.entered_at)) as seconds'

function leftByAll(stages: string): string {
  return `select s.stage, s.stays, s.seconds
         from ${ofEachStage(stages, `g.stage, ${stays}`, within('s.left_at'))}
        where s.stays > 0`
}

const leftByMatched = `select s.stage_uuid as stage, ${stays}
         from spans s where ${within('s.left_at')}
        group by s.stage_uuid`

function ofOtherKinds({ tasks, contacts, companies }: Conditions): string[] {
  const created = `t.organization_id = ${organization} and ${within('t.created_at')}`
  // A due date without a time is due at the end of that day.
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
