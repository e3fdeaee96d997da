import type { Decision, Mutation, WriteServices } from './attempt/decision.ts'
import { Member } from './attempt/member.ts'
import { runAlone } from './attempt/run-alone.ts'
import type { Refusal } from './errors/index.ts'
import type { Outcome } from './operation.ts'
import type { Writer } from './writer.ts'

export type { Decision, Mutation, WriteServices }

/**
 * The only way to change a tenant's rows: claims the idempotency key if there is one, locks, loads, decides, saves and
 * commits, in one transaction and two round trips (gates 9 to 16).
 *
 * Resolves to the outcome (a replay if the key was used before) or a refusal. Throws what went wrong inside.
 */
export function mutate(mutation: Mutation, writer: Writer, services: WriteServices): Promise<Outcome | Refusal> {
  return runAlone(new Member(mutation, writer), services)
}
