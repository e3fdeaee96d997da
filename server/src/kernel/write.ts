import { atOnce, inSlices, yieldToEventLoop } from './admission/index.ts'
import type { Actor } from './auth/actor.ts'
import { Refusal } from './errors/index.ts'
import type { FileName } from './files/index.ts'
import { decideInTurn, joinGroup, mostRecordsTogether } from './group-commit/index.ts'
import { addJob, type JobRequest } from './jobs/index.ts'
import { bounds } from './limits/index.ts'
import {
  type Attempt,
  claimAndLoad,
  type DecidedWrite,
  type DecidedWrites,
  type Ended,
  type LoadedWrite,
  loadMore,
  type MakeAnswer,
  type Mutation,
  PendingWrite,
  type Swept,
  type Write,
  type WriteServices,
  writtenInSteps,
} from './mutation/index.ts'
import type { Outcome } from './operation.ts'
import { type Configuration, sizeOf } from './schema/index.ts'
import { DecideAgain, failureOf, type Transaction } from './sql/index.ts'
import { traced } from './tracing/index.ts'
import { saveAndCommit, saveInSteps } from './write/save-and-publish.ts'

/** The answer of a request, and the result it was made from; a replay has only the stored answer. */
export type Answered<Result> = Outcome & { readonly result?: Result }

/**
 * The only way to change an organization's records and settings, in one transaction and two round trips (gates 9 to 16). While other
 * writes of the organization are under way, a write waits for them, and shares its transaction with those that arrive meanwhile
 * (docs/adr/0016).
 *
 * A request passes `makeAnswer`: the answer that it makes from the result is stored under the idempotency key, and a retry gets it again.
 * Without it no key is claimed, and the caller gets the result itself. Refusals are returned. Throws internal errors, and
 * `OrganizationReadOnly` if there is no request to refuse.
 */
export async function mutate<Result, Refused extends Refusal>(
  mutation: Mutation<Result, Refused>,
  actor: Actor,
  services: WriteServices,
): Promise<Result | Refused>
export async function mutate<Result>(
  mutation: Mutation<Result>,
  actor: Actor,
  services: WriteServices,
  makeAnswer: MakeAnswer<Result>,
): Promise<Answered<Result> | Refusal>
export async function mutate<Result, Refused extends Refusal>(
  mutation: Mutation<Result, Refused>,
  actor: Actor,
  services: WriteServices,
  makeAnswer: MakeAnswer<Result> | null = null,
): Promise<Result | Refused | Answered<Result> | Refusal> {
  const write = new PendingWrite(mutation, actor, makeAnswer)
  const { outcome, drops } = await joinGroup(write, services, attempt)
  if (drops.length > 0) await discard(drops, write, services)
  if (makeAnswer !== null && (outcome instanceof Refusal || outcome?.replayed)) return outcome
  const { decided } = write
  if (decided instanceof Refusal) return decided
  return outcome === null || outcome instanceof Refusal ? decided.result : { ...outcome, result: decided.result }
}

/**
 * Decides a request and writes nothing, because something has to be stored before the final decision. If the idempotency key already has
 * an answer, returns that.
 */
export async function decideOnly<Result>(
  mutation: Mutation<Result> & { readonly looksOnly: true },
  actor: Actor,
  services: WriteServices,
): Promise<{ readonly result: Result } | Outcome | Refusal> {
  const write = new PendingWrite(mutation, actor, null, actor.idempotency)
  const { outcome } = await joinGroup(write, services, attempt)
  if (outcome !== null) return outcome
  const { decided } = write
  return decided instanceof Refusal ? decided : { result: decided.result }
}

/** Statements with more rows than this are made with pauses. */
const manyRows = 100

/**
 * A write, or a group of writes of one organization, in one transaction: claim the keys, lock, load, decide, save, commit. A write that
 * runs alone waits for the locks of others. A group takes only locks that are free: a write that would have to wait for one leaves the
 * group.
 *
 * Resolves to `DecideAgain` if it has to start over on fresh data. Its cause is the error that the database reported.
 */
async function attempt(
  writes: readonly Write[],
  isGroup: boolean,
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<Attempt | DecideAgain> {
  try {
    const { configurationVersion, ended, loaded } = await traced('claim and load', {}, () =>
      claimAndLoad(writes, isGroup, transaction, services, configuration),
    )
    const [first] = loaded
    if (first === undefined) return { ended, alone: [] }
    if (configuration.version !== null && configurationVersion !== configuration.version)
      return new DecideAgain('the configuration has changed')
    for (const each of isGroup ? [] : loaded)
      if (!(await loadMore(each, transaction, services))) return new DecideAgain('a row that is needed was not locked')

    // Small work runs without yielding: a yield costs more than the work takes.
    let size = 0
    for (const { first } of loaded) size += first.round.size
    const isLong = transaction.hasLoadedMuch || size > mostRecordsTogether
    const giveWay = <Result>(steps: Generator<unknown, Result>) => (isLong ? inSlices(steps) : atOnce(steps))
    const decide = isGroup ? decideInTurn : decideAlone
    const decisions = await traced('decide', {}, () => giveWay(decide(loaded, services, configuration)))
    const { decided, alone } = decisions
    const [swept, jobs]: [Swept[], JobRequest[]] = [[], []]
    let isLarge = false
    for (const { decision, body } of decided) {
      if (decision.sweep !== undefined) swept.push(await decision.sweep(transaction))
      jobs.push(...(decision.jobs ?? []))
      isLarge ||= sizeOf(body ?? '') > bounds.large.most
    }

    if (isLarge) await yieldToEventLoop()
    const { rows, events } = await giveWay(writtenInSteps(decided))
    rows.push(...swept.flatMap(({ rows: more = [] }) => more))
    if (rows.length + jobs.length + swept.length > 0) {
      if (isLarge) await yieldToEventLoop()
      const { organizationId } = first.owner
      const toSave = { organizationId, rows, events, configurationVersion: configuration.version }
      // A decision may write many rows that it did not load.
      const saving = saveInSteps(toSave, transaction.distribution)
      const save = isLong || isLarge || rows.length > manyRows ? await inSlices(saving) : atOnce(saving)
      await traced('save and commit', {}, () => {
        const added = jobs.map(request => addJob(transaction, organizationId, request))
        return saveAndCommit(transaction, save, added)
      })
      if (events.length > 0)
        services.feedTails?.committed(organizationId, new Set(events.map(({ resource_type: type }) => String(type))))
    }
    for (const [write, outcome] of decisions.ended) ended.set(write, { outcome, drops: [] })
    for (const each of decided) ended.set(each.write, endOf(each, swept))
    return { ended, alone }
  } catch (error) {
    if (failureOf(error) === 'again') return new DecideAgain('the database reports a conflict', { cause: error })
    throw error
  } finally {
    await transaction.rollback()
  }
}

/** Decides a write that has its transaction to itself. */
function* decideAlone(
  loaded: readonly LoadedWrite[],
  services: WriteServices,
  configuration: Configuration,
): Generator<unknown, DecidedWrites> {
  const all: DecidedWrites = { decided: [], ended: [], alone: [] }
  for (const { write, work, owner } of loaded) {
    const outcome = yield* write.decide(work, owner, services, configuration)
    if ('decision' in outcome) all.decided.push({ write, work, ...outcome })
    else all.ended.push([write, outcome])
  }
  return all
}

/** The end of a committed write. */
function endOf({ decision, answer, body }: DecidedWrite, swept: readonly Swept[]): Ended {
  const drops = [decision, ...swept].flatMap(({ drops: dropped = [] }) => dropped)
  if (answer === null) return { outcome: null, drops }
  const { status, data, meta = {} } = answer
  return { outcome: body === null ? { status, data, meta } : { status, data, meta, body }, drops }
}

/** The most files whose removal a caller waits for. */
const mostAwaitedDrops = 10

/** Removes the bytes of files after the commit. If that fails, they are swept within two hours. */
async function discard(
  drops: readonly FileName[],
  { actor }: Write,
  { files, onFailure }: WriteServices,
): Promise<void> {
  const facts = { operation: actor.origin?.operation, requestId: actor.requestId }
  const discarded = files?.discard(drops).catch(error => onFailure?.(error, facts))
  if (drops.length <= mostAwaitedDrops) await discarded
}
