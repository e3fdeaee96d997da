import { create, get, listAll, type Module, removeUsed, update } from '../../kernel/index.ts'
import { agent } from './agent.ts'

export { agent }

export const agents: Module = {
  resources: [agent],
  operations: [listAll(agent), get(agent), create(agent), update(agent), removeUsed(agent, { asks: true })],
}
