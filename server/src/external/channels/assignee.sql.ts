import type { ExtraNeed } from '../../kernel/index.ts'
import { isObject, isUuid, type JsonObject } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'

// Whoever removes an operator locks them first and counts what names them then, so that neither misses the other.
const holdAssignee = claimedStatement(
  'hold_assignee',
  'select o.id from operators o where o.organization_id = $1 and o.id = $2 for share',
)

/** Holds the person to whom dialogs are to be handed over, so that they stay until this change is there. */
export function needAssignee({ handoff }: JsonObject): ExtraNeed[] {
  const { assigneeUuid }: JsonObject = isObject(handoff) ? handoff : {}
  if (typeof assigneeUuid !== 'string' || !isUuid(assigneeUuid)) return []
  return [{ name: holdAssignee.name, statement: holdAssignee, values: [assigneeUuid] }]
}
