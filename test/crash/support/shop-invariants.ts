import { type Statement, statement } from '../../../server/src/kernel/sql/index.ts'

const ofAgents = `(
  select organization_id, id, version from agents
  union all select organization_id, id, version from product_sets
  union all select organization_id, id, version from products
  union all select organization_id, id, version from knowledge_bases
  union all select organization_id, id, version from api_integrations) as r`

const links = `(
  select l.organization_id, l.agent_id, l.product_set_id as target, s.id as found from agent_product_sets l
    left join product_sets s on s.organization_id = l.organization_id and s.id = l.product_set_id
  union all select l.organization_id, l.agent_id, l.knowledge_base_id, b.id from agent_knowledge_bases l
    left join knowledge_bases b on b.organization_id = l.organization_id and b.id = l.knowledge_base_id
  union all select l.organization_id, l.agent_id, l.api_integration_id, i.id from agent_api_integrations l
    left join api_integrations i on i.organization_id = l.organization_id and i.id = l.api_integration_id) as l`

/** What holds of channels and AI agents, by the promise: each statement finds what breaks it in the organization $1. */
export const shopInvariants: readonly (readonly [promise: string, violations: Statement])[] = [
  [
    'a set counts its products',
    statement(
      'crash_products_count',
      `select s.id, s.products_count from product_sets s
        where s.organization_id = $1
          and s.products_count <> (select count(*) from products p where p.organization_id = $1 and p.product_set_id = s.id)`,
    ),
  ],
  [
    'a set knows in which blocks its products came',
    statement(
      'crash_product_blocks',
      `select s.id, b.until, b.products
         from product_sets s cross join lateral (
           select (e.block ->> 0)::timestamptz as until, (e.block ->> 1)::integer as products,
                  lag((e.block ->> 0)::timestamptz, 1, '-infinity') over (order by e.place) as behind
             from jsonb_array_elements(s.product_blocks) with ordinality as e(block, place)) as b
        where s.organization_id = $1
          and b.products <> (select count(*) from products p where p.organization_id = $1 and p.product_set_id = s.id
                              and p.created_at > b.behind and p.created_at <= b.until)`,
    ),
  ],
  [
    'a product is in a set',
    statement(
      'crash_products_of_nothing',
      `select p.id from products p
         left join product_sets s on s.organization_id = p.organization_id and s.id = p.product_set_id
        where p.organization_id = $1 and s.id is null`,
    ),
  ],
  [
    'a link leads from an agent to what there is',
    statement(
      'crash_links_of_agents',
      `select l.* from ${links}
         left join agents a on a.organization_id = l.organization_id and a.id = l.agent_id
        where l.organization_id = $1 and (a.id is null or l.found is null)`,
    ),
  ],
  [
    'an AI operator that answers has an agent, and its agent is there',
    statement(
      'crash_operators_of_channels',
      `select o.id from ai_operators o
         left join agents a on a.organization_id = o.organization_id and a.id = o.agent_id
        where o.organization_id = $1 and ((o.agent_id is null and o.enabled) or (o.agent_id is not null and a.id is null))`,
    ),
  ],
  [
    'a record has one audit entry for each of its changes',
    statement(
      'crash_changes_of_agents',
      `select r.id, r.version, count(a.id)
         from ${ofAgents} left join audit_entries a on a.organization_id = r.organization_id and a.resource_id = r.id
        where r.organization_id = $1
        group by r.id, r.version having count(a.id) <> r.version`,
    ),
  ],
  [
    'each audit entry of a request has its stored answer',
    statement(
      'crash_answers_of_agents',
      `select e.resource_type, e.request_id from audit_entries e
        where e.organization_id = $1 and e.application_id is not null
          and not exists (select 1 from idempotency_answers a
                           where a.organization_id = $1 and a.key = e.request_id::text)`,
    ),
  ],
]

/** The requests that left audit entries, by their keys. */
export const auditedRequests: Statement = statement(
  'crash_audited_requests',
  `select distinct e.request_id from audit_entries e where e.organization_id = $1 and e.application_id is not null`,
)
