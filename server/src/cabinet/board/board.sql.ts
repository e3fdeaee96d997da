import { columnsNamed, type ListSelection, lookedAt, type Resource } from '../../kernel/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'

/** What a card shows of its deal, apart from the company. */
const shown = [
  'id',
  'version',
  'title',
  'amount',
  'currency',
  'priority',
  'ownerUuid',
  'expectedCloseDate',
  'stageUuid',
  'status',
  'lostReasonCategoryUuid',
  'lostReasonComment',
  'stageChangedAt',
]

interface AskedStage {
  readonly stageUuid: string
  /** How many deals to look at. */
  readonly looks: number
  /** How many cards to show. */
  readonly cards: number
  /** The currency of amounts that have none of their own. */
  readonly currency: string
}

/**
 * The text that reads a stage of the board: a row for each card, in the order of the stage, with `place`, counted from 0 among all deals of
 * the stage. Each row also has the `count` of the chosen deals, whether these are all (`isExact`), and their `sums` by currency; without a
 * card there is one row, without an id. $1 organization, $2 application.
 */
export function boardStageText(
  deal: Resource,
  { conditions }: ListSelection,
  { stageUuid, looks, cards, currency }: AskedStage,
  bind: Bind,
): string {
  const order = { value: 't.rank', type: 'text', isNullable: false, descends: false }
  // As a limit of the order it is a condition of the walk: ranks order the deals of one stage.
  const inStage = { text: () => `t.stage_uuid = ${bind(stageUuid)}::uuid`, limits: order.value }
  const selection = { conditions: [inStage, ...conditions], order }
  const { records, chosen } = lookedAt(deal, selection, { after: null, looks: looks + 1, bind })
  return `with looked as materialized (
      select t.id, t.amount, coalesce(t.currency, ${bind(currency)}::text) as currency, (${chosen}) is true as "isChosen",
             row_number() over (order by t.rank, t.id) - 1 as place
        from (${records('t.*', '')}) t),
    found as (select l.* from looked l where l."isChosen" and l.place < ${looks})
    select c.*, k.place, ${columnsNamed(deal, shown)},
           (select l.company_id from deal_companies l
             where l.organization_id = $1 and l.deal_id = t.id
             order by l.position, l.company_id limit 1) as "companyId"
      from (values ($2::uuid)) as asked(by)
     cross join (
        select (select count(*)::integer from found) as count,
               (select count(*) from looked) <= ${looks} as "isExact",
               (select coalesce(json_agg(s order by s.currency), '[]')
                  from (select f.currency, sum(f.amount)::text as amount
                          from found f where f.amount is not null group by f.currency) s) as sums) c
      left join (select f.id, f.place from found f order by f.place limit ${cards}) k on true
      left join lateral (select x.* from deals x where x.organization_id = $1 and x.id = k.id offset 0) t on true
     order by k.place`
}
