import type { ErasePerson } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'

/** $1 organization, $2 records. */
const dropAnswers = statement(
  'drop_answers_about_person',
  `update webhook_failures f set answer = null
    where f.organization_id = $1 and f.resource_id = any ($2::uuid[]) and f.answer is not null
   returning 1`,
)

/** $1 organization. */
export const dropLateAnswers = statement(
  'drop_late_answers_about_persons',
  `update webhook_failures f set answer = null
     from erasure_receipts r
    where f.organization_id = $1 and r.organization_id = $1 and f.resource_id = r.contact_id and f.answer is not null
   returning 1`,
)

/** Erases a person from what receivers have answered: an answer to an event about the person may repeat it. */
export const eraseFromAnswers: ErasePerson = async (transaction, organizationId, { ids }) => {
  const dropped = await transaction.query(dropAnswers, [organizationId, ids])
  return { reached: { webhookAnswers: dropped.length }, files: [], ids: [] }
}
