import { statement } from '../../kernel/sql/index.ts'

/**
 * $1 organization, $2 agent. Returns one row of nulls for an agent that no channel uses, and no row if there is no such agent. Each row is
 * looked up by its whole key, even if the plan is made while the tables are empty.
 */
export const selectAgentChannels = statement(
  'select_agent_channels',
  `select c.id as "channelId", c.name, c.type, o.enabled
     from agents a
     left join lateral (
       select x.id, x.enabled from ai_operators x where x.organization_id = $1 and x.agent_id = a.id
       offset 0) as o on true
     left join lateral (
       select x.id, x.name, x.type from channels x where x.organization_id = $1 and x.id = o.id
       offset 0) as c on true
    where a.organization_id = $1 and a.id = $2
    order by c.name, c.id`,
)
