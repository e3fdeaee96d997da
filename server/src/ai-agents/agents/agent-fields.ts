import type { StateOf } from '../../kernel/index.ts'
import {
  choice,
  counted,
  flag,
  languageTag,
  linkedIds,
  longText,
  optionalText,
  requiredText,
} from '../../kernel/schema/index.ts'
import { apiIntegration } from '../api-integrations/index.ts'
import { knowledgeBase } from '../knowledge-bases/index.ts'
import { productSet } from '../products-sets/index.ts'

/** What an AI agent holds (contract section 13). */
export const agentFields = {
  name: requiredText({ max: 100, example: 'Shop assistant' }),
  description: optionalText({ max: 1000, keepSpace: true }),
  instructions: longText({
    max: 20_000,
    description: 'What the agent is told to do and to leave alone.',
    example: 'Answer questions about our products, briefly and kindly.',
  }),
  language: languageTag("A BCP 47 language tag; the organization's language unless given."),
  tone: choice(['neutral', 'friendly', 'formal'], {
    component: 'AgentTone',
    initial: 'neutral',
    description: 'How it talks; neutral unless given.',
  }),
  model: choice(['default'], {
    component: 'AgentModel',
    initial: 'default',
    description: 'One of the models that the server offers.',
  }),
  creativity: choice(['low', 'medium', 'high'], {
    component: 'AgentCreativity',
    initial: 'medium',
    description: 'How freely it words its answers; medium unless given.',
  }),
  fallbackMessage: optionalText({
    max: 1000,
    keepSpace: true,
    description: 'What it says when it knows no answer.',
  }),
  enabled: flag(true, 'Whether it may be used.'),
  productSetIds: linkedIds({
    to: productSet,
    table: 'agent_product_sets',
    ownerColumn: 'agent_id',
    targetColumn: 'product_set_id',
    most: 10,
    description: 'The sets of products that it offers from.',
  }),
  knowledgeBaseIds: linkedIds({
    to: knowledgeBase,
    table: 'agent_knowledge_bases',
    ownerColumn: 'agent_id',
    targetColumn: 'knowledge_base_id',
    most: 10,
    description: 'The knowledge bases that it answers from.',
  }),
  apiIntegrationIds: linkedIds({
    to: apiIntegration,
    table: 'agent_api_integrations',
    ownerColumn: 'agent_id',
    targetColumn: 'api_integration_id',
    most: 20,
    description: 'The calls of other systems that it may make.',
  }),
  channelsCount: counted(0, {
    schema: { type: 'integer', minimum: 0, description: 'How many channels use it.' },
    select: `(select count(*)::integer from ai_operators o where o.organization_id = $1 and o.agent_id = t.id)`,
  }),
}

/** An agent in memory, as its rules see it. */
export type AgentState = StateOf<typeof agentFields>
