import { agent } from '../../ai-agents/agents/index.ts'
import { defineOperation, notFound, type Operation } from '../../kernel/index.ts'
import { objectSchema, uuidSchema } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { channel } from './channel.ts'

/**
 * $1 organization, $2 agent. Returns one row of nulls for an agent that no channel uses, and no row if there is no such agent. Each row is
 * looked up by its whole key, even if the plan is made while the tables are empty.
 */
const selectAgentChannels = statement(
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

/** `GET /agents/:id/channels`: 200 with the channels whose AI operator has the agent, by name; 404 for an unknown agent. */
export const agentChannels: Operation = defineOperation({
  id: 'agents.channels.list',
  conventions: agent.conventions,
  method: 'GET',
  path: `${agent.path}/{id}/channels`,
  addresses: { resource: agent, parameter: 'id' },
  summary: 'List the channels that use an agent',
  scopes: ['ai_agents_read', 'channels_read'],
  answer: {
    data: {
      type: 'array',
      items: objectSchema('ChannelReference', {
        channelId: { ...uuidSchema, description: 'The channel.' },
        name: { type: 'string', example: 'Shop on Telegram' },
        type: { ...channel.fields.type?.input, description: 'What customers write through.' },
        enabled: { type: 'boolean', description: 'Whether the AI operator of the channel answers.' },
      }),
    },
  },
  refuses: [['not_found', 'There is no such agent.']],
  async execute({ caller, path, reader }, { database }) {
    const rows = await database.query(selectAgentChannels, [caller.organization.id, path.id], reader)
    if (rows.length === 0) return notFound()
    return { status: 200, data: rows.filter(({ channelId }) => channelId !== null), meta: {} }
  },
})
