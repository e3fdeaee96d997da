import type { ListedUsers } from '../../kernel/index.ts'
import { type JsonSchema, listSchema, objectSchema } from '../../kernel/schema/index.ts'

const agentSchema: JsonSchema = objectSchema('AgentReference', {
  id: { type: 'string', format: 'uuid' },
  name: { type: 'string', example: 'Shop assistant' },
})

/** The agents that use a set of products, by name. */
export const agentsOfSet: ListedUsers = {
  member: 'agents',
  schema: listSchema(
    agentSchema,
    'The agents that use it; only with mode=with_links, and absent without `ai_agents_read`.',
  ),
  scope: 'ai_agents_read',
  select: `(select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name) order by a.name, a.id), '[]')
     from agent_product_sets l
     join agents a on a.organization_id = $1 and a.id = l.agent_id
    where l.organization_id = $1 and l.product_set_id = t.id)`,
}
