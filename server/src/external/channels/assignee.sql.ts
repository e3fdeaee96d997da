import type { ExtraNeed } from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import { claimedStatement } from '../../kernel/sql/index.ts'
import { heldAssignee, namedAssignee } from './operator.rules.ts'

// The removal of an operator locks them first and counts what names them then, so that neither misses the other.
const holdAssignee = claimedStatement(
  heldAssignee,
  'select o.id from operators o where o.organization_id = $1 and o.id = $2 for share',
)

/** Holds the person to whom dialogs are to be handed over, so that they stay until this change is there. */
export function needAssignee(input: JsonObject): ExtraNeed[] {
  const assignee = namedAssignee(input)
  return assignee === null ? [] : [{ name: heldAssignee, statement: holdAssignee, values: [assignee] }]
}
