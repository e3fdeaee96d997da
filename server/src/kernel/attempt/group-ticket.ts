import type { Ticket } from '../admission/index.ts'
import type { Refusal } from '../errors/index.ts'
import type { Outcome } from '../operation.ts'
import type { Span } from '../tracing/index.ts'
import type { Member } from './member.ts'

/** A mutation that waits for its group, and who waits for its outcome. */
export interface GroupTicket extends Ticket {
  readonly member: Member
  /** The span of its wait, where traces are kept. */
  readonly span: Span | null
  resolve(outcome: Outcome | Refusal): void
}
