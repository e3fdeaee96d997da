import { defineResource, externalConventions, type NestedStep } from '../../kernel/index.ts'
import { counted, listSchema, objectSchema, optionalText, requiredText, wordSchema } from '../../kernel/schema/index.ts'
import { knowledgeBounds } from './knowledge-bounds.ts'

const statuses = ['ready', 'indexing', 'error'] as const

/** Files whose content AI agents use for their answers (contract section 13.1). */
export const knowledgeBase = defineResource({
  kind: 'knowledge_base',
  plural: 'knowledge-bases',
  title: 'KnowledgeBase',
  table: 'knowledge_bases',
  path: '/api/v1/ai-agents/external/knowledge-bases',
  conventions: externalConventions,
  most: knowledgeBounds.organizationKnowledgeBases.most,
  scopes: { read: 'ai_knowledge_read', write: 'ai_knowledge_manage', delete: 'ai_knowledge_manage' },
  fields: {
    name: requiredText({ max: 200, example: 'Shipping and returns' }),
    description: optionalText({ max: 1000, keepSpace: true }),
    filesCount: counted(0, {
      column: 'integer',
      schema: { type: 'integer', minimum: 0, description: 'How many files it has.', example: 12 },
    }),
    sizeBytes: counted(0, {
      column: 'bigint',
      select: 't.size_bytes::double precision',
      schema: { type: 'integer', minimum: 0, description: 'Of all its files together.', example: 482_130 },
    }),
    status: counted<(typeof statuses)[number]>('ready', {
      schema: wordSchema(
        'KnowledgeBaseStatus',
        statuses,
        '`indexing`: a file waits or is read; `error`: none is, and one could not be read.',
      ),
      select: `case when exists (select 1 from knowledge_files f
                      where f.organization_id = $1 and f.knowledge_base_id = t.id and f.status in ('queued', 'indexing'))
                    then 'indexing'
                    when exists (select 1 from knowledge_files f
                      where f.organization_id = $1 and f.knowledge_base_id = t.id and f.status = 'failed')
                    then 'error' else 'ready' end`,
    }),
    agentsCount: counted(0, {
      schema: { type: 'integer', minimum: 0, description: 'How many agents answer from it.', example: 1 },
      select: `(select count(*)::integer from agent_knowledge_bases l
                 where l.organization_id = $1 and l.knowledge_base_id = t.id)`,
    }),
    agents: counted<readonly object[]>([], {
      schema: listSchema(
        objectSchema('AgentReference', {
          id: { type: 'string', format: 'uuid' },
          name: { type: 'string', example: 'Shop assistant' },
        }),
        'The agents that answer from it; none without `ai_agents_read`.',
      ),
      select: `(select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name) order by a.name, a.id), '[]')
                  from agent_knowledge_bases l
                  join agents a on a.organization_id = $1 and a.id = l.agent_id
                 where l.organization_id = $1 and l.knowledge_base_id = t.id)`,
    }),
  },
  rules: {
    /** The size is computed from the files. */
    reflect(state, steps) {
      const more = steps.reduce((sum, step) => sum + sizeOf(step.after) - sizeOf(step.before), 0)
      return { ...state, sizeBytes: state.sizeBytes + more }
    },
  },
})

function sizeOf(file: NestedStep['after']): number {
  return file === null ? 0 : Number(file.sizeBytes)
}
