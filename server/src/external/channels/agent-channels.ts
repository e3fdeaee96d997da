import { agent } from '../../ai-agents/agents/index.ts'
import { defineOperation, notFound, type Operation } from '../../kernel/index.ts'
import { objectSchema, uuidSchema } from '../../kernel/schema/index.ts'
import { selectAgentChannels } from './agent-channels.sql.ts'
import { channel } from './channel.ts'

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
