import { get, listAll, type Module, type Operation, update } from '../../kernel/index.ts'
import { agentChannels } from './agent-channels.ts'
import { channel, channelWording } from './channel.ts'
import { aiOperator } from './operator.ts'

export { channel, channelWording }

/** The operation with the path of the AI operator of a channel. */
function ofChannel(operation: Operation): Operation {
  const addresses = { resource: aiOperator, parameter: 'channelId' }
  return { ...operation, path: `${channel.path}/{channelId}/ai-operator`, addresses }
}

/** A change names an agent, which is visible only to tokens that may read agents. */
function updateOperator(): Operation {
  const operation = update(aiOperator)
  return { ...ofChannel(operation), scopes: [...operation.scopes, 'ai_agents_read'] }
}

export const channels: Module = {
  resources: [channel, aiOperator],
  operations: [listAll(channel), ofChannel(get(aiOperator)), updateOperator(), agentChannels],
}
