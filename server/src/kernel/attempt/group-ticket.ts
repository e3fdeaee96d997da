import type { Ticket } from '../admission/index.ts'
import type { Refusal } from '../errors/index.ts'
import type { Outcome } from '../operation.ts'
import type { Member } from './member.ts'

/** A mutation that waits for its group, and who waits for its outcome. */
export interface GroupTicket extends Ticket {
  readonly member: Member
  resolve(outcome: Outcome | Refusal): void
}
