import type { Conditions } from './filters.sql.ts'

// The values of every summary. Further ones are those of its filters.
export const [organization, from, to, before, end, today, currency] = [
  '$1',
  '$2::timestamptz',
  '$3::timestamptz',
  '$4::timestamptz',
  '$5',
  '$6',
  '$7',
]

/** What the text of a summary depends on. */
export interface Parts extends Conditions {
  /** The stages that are asked for. */
  readonly stages: string
  /** Whether a filter leaves some of the deals, whatever their pipeline. */
  readonly isFiltered: boolean
  /** Whether the period is over, so that deals may have moved on since. */
  readonly isPast: boolean
}

export const within = (time: string) => `${time} >= ${from} and ${time} < ${to}`

/** What is asked of the spans of each stage by themselves, as the indexes of spans by stage have them in their order. */
export function ofEachStage(stages: string, columns: string, condition: string): string {
  return `unnest(${stages}) as g(stage)
        cross join lateral (
          select ${columns} from deal_stage_spans s
           where s.organization_id = ${organization} and s.stage_uuid = g.stage and ${condition} offset 0) s`
}
