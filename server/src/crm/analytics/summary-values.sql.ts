import type { Conditions } from './filters.sql.ts'

// The values of every summary. Filters append theirs.
export const [organization, from, to, before, end, today, currency] = [
  '$1',
  '$2::timestamptz',
  '$3::timestamptz',
  '$4::timestamptz',
  '$5',
  '$6',
  '$7',
]

/** What the SQL text of a summary depends on. */
export interface Parts extends Conditions {
  /** The ids of the requested stages. */
  readonly stages: string
  /** Whether a filter other than the pipeline restricts the deals. */
  readonly isFiltered: boolean
  /** Whether the period is over, so that deals may have moved on since it ended. */
  readonly isPast: boolean
}

export const within = (time: string) => `${time} >= ${from} and ${time} < ${to}`

/** A lateral query for the spans of each stage, in the order of the indexes on spans by stage. */
export function ofEachStage(stages: string, columns: string, condition: string): string {
  return `unnest(${stages}) as g(stage)
        cross join lateral (
          select ${columns} from deal_stage_spans s
           where s.organization_id = ${organization} and s.stage_uuid = g.stage and ${condition} offset 0) s`
}
