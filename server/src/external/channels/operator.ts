import { defineResource, externalConventions, Lookup } from '../../kernel/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { aiOperatorRules, namedAssignee } from './operator.rules.ts'
import { operatorFields } from './operator-fields.ts'

// The removal of an operator locks the person first and then counts references, so neither transaction misses the other.
const holdAssignee = claimedStatement(
  'hold_assignee',
  'select o.id from operators o where o.organization_id = $1 and o.id = $2 for share',
)

/** Locks the person to whom dialogs are to be handed over until this change is committed; false if the person no longer exists. */
const holding = (assigneeUuid: string) => new Lookup(holdAssignee, [assigneeUuid], rows => rows.length > 0)

/** The AI operator that answers in a channel: one for each, with the id of the channel (contract section 13). */
export const aiOperator = defineResource({
  kind: 'ai_operator',
  plural: 'ai-operators',
  title: 'AiOperator',
  table: 'ai_operators',
  conventions: externalConventions,
  scopes: { read: 'channels_read', write: 'channels_manage', delete: 'channels_manage' },
  headMembers: { id: 'channelId', createdAt: null },
  fields: operatorFields,
  rules: {
    ...aiOperatorRules,
    needs(input) {
      const assignee = namedAssignee(input)
      return assignee === null ? [] : [holding(assignee)]
    },
    settle: (next, context) =>
      aiOperatorRules.settle(next, { input: context.input, isHeld: uuid => context.read(holding(uuid)) }),
  },
})
