import {
  type AloneReason,
  type DecidedWrites,
  decideLoaded,
  type LoadedWrite,
  type Write,
  type WriteServices,
} from '../mutation/index.ts'
import type { Configuration } from '../schema/index.ts'
import { holdsAll, reasonToLeave } from './who-joins.ts'

/** Thrown to give up a group: the decision about one of its writes showed that it needs a transaction of its own. */
export class NotTogether extends Error {
  readonly write: Write
  readonly reason: AloneReason

  constructor(write: Write, reason: AloneReason) {
    super(`a write cannot share its transaction: ${reason}`)
    this.write = write
    this.reason = reason
  }
}

/** Decides the writes of a group in order of arrival. Each sees the decisions before it. */
export function* decideInTurn(
  loaded: readonly LoadedWrite[],
  services: WriteServices,
  configuration: Configuration,
): Generator<unknown, DecidedWrites> {
  const group: DecidedWrites = { decided: [], ended: [], alone: [] }
  // Checked before any decision, because a decision may move a key to another record than the locked one.
  const isHeld = loaded.map(holdsAll)
  /** The application that has changed each record. Other applications of the group have loaded the record in its previous state. */
  const changedBy = new Map<string, string | null>()
  for (const [index, each] of loaded.entries()) {
    const { write, owner, work } = each
    const reason = isHeld[index] ? reasonToLeave(each, changedBy) : 'locked'
    if (reason !== null) {
      group.alone.push([write, reason])
      continue
    }
    const outcome = yield* decideLoaded(each, services, configuration)
    if ('decision' in outcome) {
      const { sweep, jobs = [] } = outcome.decision
      if (sweep !== undefined) throw new NotTogether(write, 'statements')
      if (jobs.length > 0) throw new NotTogether(write, 'jobs')
      for (const { before, current } of work.changedHere())
        changedBy.set((current ?? before)?.id ?? '', owner.applicationId)
      group.decided.push(outcome)
    } else {
      if (!work.isUntouched()) throw new Error('a request that writes nothing has changed records')
      group.ended.push([write, outcome])
    }
    yield
  }
  return group
}
