import { inSlices, nextSlice } from './admission/index.ts'
import { timestamp } from './clock.ts'
import { envelopeInSteps } from './envelope.ts'
import { Refusal, refuse } from './errors/index.ts'
import { answerRow, claim, claimNothing, replay } from './idempotency/index.ts'
import { bounds } from './limits/index.ts'
import type { Outcome, Request } from './operation.ts'
import type { WriteContext } from './record/resource.ts'
import type { RowChange } from './record/table.ts'
import { type Directory, newId, sizeOf } from './schema/index.ts'
import type { Services } from './services.ts'
import { DecideAgain, failureOf, type Transaction } from './sql/index.ts'
import { lockAndLoad, type Scope } from './write/load.ts'
import { Needs } from './write/needs.ts'
import { rowsOf } from './write/rows.ts'
import { saveInSteps } from './write/save.ts'
import { WorkingSet } from './write/working-set.ts'

/** What an operation that writes adds to the write path. A single write is a batch of one. */
export interface Mutation {
  /** It shows what would happen: it changes none of what it needs, and so locks none of it. */
  readonly looksOnly?: true
  /** What has to be locked and loaded. */
  needs(needs: Needs, directory: Directory): void
  /** What turned out to be needed beyond that; asked again until it adds nothing and answers false. */
  further?(needs: Needs, work: WorkingSet): boolean
  /** Pure: from what is loaded to the next states, or a refusal. Steps are applied to the working set. */
  decide(work: WorkingSet, write: WriteContext): Decision | Refusal
}

export interface Decision {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** Persons whose data stands in the answer. */
  readonly personIds: readonly string[]
  /** Rows beyond those of the changed records. */
  readonly rows?: readonly RowChange[]
  /** Statements beyond the save, such as those that reach many rows at once, run before it in the same transaction. */
  readonly sweep?: (transaction: Transaction) => Promise<readonly RowChange[]>
}

const attempts = 4

/**
 * Gates 9 to 16 in one transaction: claim the idempotency key, lock, load, decide, save, commit, in two round trips.
 * Starts over, with fresh data, when a needed row was not locked or the database reports a conflict; three times at
 * most, then 503.
 *
 * Resolves to the outcome (a replay when the key was used before) or a refusal; throws what went wrong inside.
 */
export async function mutate(mutation: Mutation, request: Request, services: Services): Promise<Outcome | Refusal> {
  const { reader } = request
  let directory = await services.directories.recent(reader)
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const outcome = await runOnce(mutation, request, services, directory)
    if (!(outcome instanceof DecideAgain)) return outcome
    if (attempt === attempts) throw outcome
    directory = await services.directories.fresh(reader)
    await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
  }
  throw new DecideAgain('no attempt was made')
}

async function runOnce(
  mutation: Mutation,
  request: Request,
  services: Services,
  directory: Directory,
): Promise<Outcome | Refusal | DecideAgain> {
  const { caller, idempotencyKey, fingerprint: print, operation, reader } = request
  const locks = mutation.looksOnly !== true
  const needs = new Needs()
  mutation.needs(needs, directory)
  const work = new WorkingSet()
  const goneKey = (externalId: string) => services.secret.goneKey(externalId)
  const scope = { organizationId: caller.organization.id, applicationId: caller.application.id, goneKey }
  const transaction = await services.database.begin(reader)
  try {
    const [claimed, complete] = await Promise.all([
      operation.idempotent ? claim(transaction, caller, idempotencyKey) : claimNothing(transaction, caller),
      lockAndLoad(transaction, needs, scope, work, locks),
    ])
    if (claimed.state === 'busy') return refuse('idempotency_in_progress')
    if (claimed.answer !== null) return replay(claimed.answer, print)
    if (!complete) return new DecideAgain('a row that is needed was not locked')
    if (claimed.directoryVersion !== directory.version) return new DecideAgain('the directory has changed')
    for (let more = new Needs(); mutation.further?.(more, work); more = new Needs()) {
      if (!(await lockAndLoad(transaction, more, scope, work, locks)))
        return new DecideAgain('a row that is needed was not locked')
    }

    // Not before: while this waited for a lock, the time of another change went by.
    const write = writeContext(scope, request, services, directory)
    const decision = mutation.decide(work, write)
    if (decision instanceof Refusal) return decision

    const { status, data, meta } = decision
    const swept = (await decision.sweep?.(transaction)) ?? []
    const body = await inSlices(envelopeInSteps(data, meta))
    const isLarge = sizeOf(body) > bounds.large.most
    if (isLarge) await nextSlice()
    const { rows, events } = rowsOf(work, write)
    if (isLarge) await nextSlice()
    const answer = answerRow(caller, idempotencyKey, print, write.now, { body, ...decision })
    const beside = [...(decision.rows ?? []), ...swept, ...(operation.idempotent ? [answer] : [])]
    const save = await inSlices(saveInSteps(scope.organizationId, [...rows, ...beside], events))
    await transaction.commit(transaction.query(save.statement, save.values))
    return { status, data, meta, body }
  } catch (error) {
    if (failureOf(error) === 'again') return new DecideAgain('the database reports a conflict', { cause: error })
    throw error
  } finally {
    await transaction.rollback()
  }
}

function writeContext(scope: Scope, request: Request, services: Services, directory: Directory): WriteContext {
  const { caller } = request
  return {
    directory,
    now: timestamp(services.clock),
    requestId: request.requestId,
    clientRequestId: request.clientRequestId,
    transactionId: newId(),
    actorType: 'application',
    actorUuid: null,
    jobId: null,
    managesCustomFields: caller.scopes.has('crm_custom_fields_manage'),
    random: Math.random,
    ...scope,
  }
}
