import { statement } from '../../kernel/sql/index.ts'

/** $1 organization, $2 agent. One row of nulls for an agent that no channel uses; no row if there is no such agent. */
export const selectAgentChannels = statement(
  'select_agent_channels',
  `select c.id as "channelId", c.name, c.type, o.enabled
     from agents a
     left join (ai_operators o join channels c on c.organization_id = $1 and c.id = o.id)
       on o.organization_id = $1 and o.agent_id = a.id
    where a.organization_id = $1 and a.id = $2
    order by c.name, c.id`,
)
