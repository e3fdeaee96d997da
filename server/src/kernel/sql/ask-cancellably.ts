import type pg from 'pg'
import type { FairSemaphore } from '../admission/index.ts'
import { ClientGone } from '../input/call.ts'
import { DatabaseSilent } from './failure.ts'
import { giveUp } from './give-up.ts'
import { type Asked, ask } from './pipelined-batch.ts'
import type { Reader } from './reader.ts'
import type { Row } from './row.ts'

/** The milliseconds that are left for several statements together. Waiting for a slot or a connection takes none of them. */
export interface TimeBudget {
  milliseconds: number
}

/** Where a statement runs: its pool, the semaphore in front of it, and the statement timeout. */
interface Where {
  readonly pool: pg.Pool
  readonly places: FairSemaphore
  readonly milliseconds: number
  /** What several statements share. */
  readonly budget?: TimeBudget | undefined
}

/**
 * Sends one statement once its reader has a slot, and cancels it in the database when the client leaves. The statement is unnamed, so that
 * it is planned for its values.
 */
export async function askCancellably<R extends Row>(
  { pool, places, milliseconds, budget = { milliseconds: Number.POSITIVE_INFINITY } }: Where,
  { statement: { text }, ...asked }: Asked,
  reader: Reader | null,
): Promise<R[]> {
  if (budget.milliseconds <= 0) throw new DatabaseSilent()
  const leave = reader && (await places.enter(reader.organizationId, reader.whenGone))
  try {
    const client = await pool.connect()
    let isGone = false
    const stopListening = reader?.whenGone(() => {
      isGone = true
      giveUp(client.connection, new ClientGone('nobody waits for the answer any more'))
    })
    try {
      // The client left before the statement was sent, so closing the connection has no statement to fail.
      if (isGone) {
        client.release(true)
        throw new ClientGone('nobody waits for the answer any more')
      }
      const patience = Math.min(milliseconds, budget.milliseconds) + 500
      const begun = performance.now()
      const rows = await ask<R>(client, { ...asked, statement: { name: '', text } }, patience, reader)
      budget.milliseconds -= performance.now() - begun
      return rows
    } finally {
      stopListening?.()
    }
  } finally {
    leave?.()
  }
}
