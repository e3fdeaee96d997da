import { inSlices, nextSlice } from './admission/index.ts'
import { timestamp } from './clock.ts'
import { envelopeInSteps } from './envelope.ts'
import { Refusal, refuse } from './errors/index.ts'
import { answerRow, claim, claimNothing, replay } from './idempotency/index.ts'
import { addJob, type JobRequest } from './jobs/index.ts'
import { bounds } from './limits/index.ts'
import type { Outcome } from './operation.ts'
import type { WriteContext } from './record/resource.ts'
import type { RowChange } from './record/table.ts'
import { type Configuration, newId, sizeOf } from './schema/index.ts'
import type { Services } from './services.ts'
import { DecideAgain, failureOf, type Transaction } from './sql/index.ts'
import { dataAndMeta } from './surface.ts'
import { type KeyOwner, lockAndLoad } from './write/load.ts'
import { Needs, Round } from './write/needs.ts'
import { personsIn, rowsOf, type Shown } from './write/rows.ts'
import { saveInSteps } from './write/save-and-publish.ts'
import { WorkingSet } from './write/working-set.ts'
import type { Writer } from './writer.ts'

/** What a write gives to the write path. A single write is a batch of one. */
export interface Mutation {
  /** Set for a preview: it changes nothing, so nothing is locked. */
  readonly looksOnly?: true
  /**
   * Adds what has to be locked and loaded, as far as it follows from what is loaded already; in the first call that is
   * nothing. It is called again after each round until it adds nothing.
   */
  needs(needs: Needs, work: WorkingSet, configuration: Configuration): void
  /** Pure: decides the next states of the loaded records, or refuses. Steps are applied to the working set. */
  decide(work: WorkingSet, write: WriteContext): Decision | Refusal
}

export interface Decision {
  readonly status: number
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** Set where the decision found out that all was done by an earlier request with the same key: nothing is written. */
  readonly isReplay?: true
  /** Records whose data stands in the answer. An erasure has to find the stored answer by the persons among them. */
  readonly shown: readonly Shown[]
  /** Rows to write in addition to those of the changed records. */
  readonly rows?: readonly RowChange[]
  /** What is to be done after the commit. It is queued with the commit, or not at all. */
  readonly jobs?: readonly JobRequest[]
  /** Runs more statements before the save, in the same transaction, such as those that change many rows at once. */
  readonly sweep?: (transaction: Transaction) => Promise<readonly RowChange[]>
}

/** The services that the write path uses. */
export type WriteServices = Pick<Services, 'clock' | 'database' | 'resources' | 'secret'> & {
  readonly configurations: Pick<Services['configurations'], 'recent' | 'fresh'>
}

const attempts = 4

/** A mutation that needs more rounds than this starts over: others change keys faster than it can follow them. */
const mostRounds = 6

/**
 * The only way to change a tenant's rows: claims the idempotency key if there is one, locks, loads, decides, saves and
 * commits, in one transaction and two round trips (gates 9 to 16). Starts over with fresh data when a needed row was
 * not locked or the database reports a conflict: three times at most, then it throws, which becomes a 503.
 *
 * Resolves to the outcome (a replay if the key was used before) or a refusal. Throws what went wrong inside.
 */
export async function mutate(mutation: Mutation, writer: Writer, services: WriteServices): Promise<Outcome | Refusal> {
  const { reader } = writer
  let configuration = await services.configurations.recent(reader)
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const outcome = await runOnce(mutation, writer, services, configuration)
    if (!(outcome instanceof DecideAgain)) return outcome
    if (attempt === attempts) throw outcome
    configuration = await services.configurations.fresh(reader)
    await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
  }
  throw new DecideAgain('no attempt was made')
}

async function runOnce(
  mutation: Mutation,
  writer: Writer,
  services: WriteServices,
  configuration: Configuration,
): Promise<Outcome | Refusal | DecideAgain> {
  const { organizationId, applicationId, idempotency } = writer
  const owner = { organizationId, applicationId, goneKey: (key: string) => services.secret.goneKey(key) }
  const locks = mutation.looksOnly !== true
  const needs = new Needs()
  const work = new WorkingSet()
  mutation.needs(needs, work, configuration)
  const transaction = await services.database.begin(writer.reader)
  try {
    const [claimed, complete] = await Promise.all([
      idempotency === null
        ? claimNothing(transaction, organizationId)
        : claim(transaction, organizationId, idempotency),
      lockAndLoad(transaction, needs.take() ?? new Round(), owner, work, services.resources, locks),
    ])
    if (claimed.state === 'busy') return refuse('idempotency_in_progress')
    if (claimed.answer !== null && idempotency !== null) return replay(claimed.answer, idempotency.fingerprint)
    if (!complete) return new DecideAgain('a row that is needed was not locked')
    if (configuration.version !== null && claimed.configurationVersion !== configuration.version)
      return new DecideAgain('the configuration has changed')
    for (let round = 2; ; round += 1) {
      mutation.needs(needs, work, configuration)
      const more = needs.take()
      if (more === null) break
      const isComplete =
        round <= mostRounds && (await lockAndLoad(transaction, more, owner, work, services.resources, locks))
      if (!isComplete) return new DecideAgain('a row that is needed was not locked')
    }

    // The time is taken after all locks: while this transaction waited for one, another change may have got a later
    // time.
    const write = writeContext(writer, owner, services, configuration)
    const decision = mutation.decide(work, write)
    if (decision instanceof Refusal) return decision

    const { status, data, meta } = decision
    if (decision.isReplay) return { status, data, meta, replayed: true }
    const swept = (await decision.sweep?.(transaction)) ?? []
    // The text is made here only if the answer is stored. Otherwise it is made when the answer is sent.
    const body = idempotency === null ? null : await inSlices(envelopeInSteps({ success: dataAndMeta }, data, meta))
    const isLarge = sizeOf(body ?? '') > bounds.large.most
    if (isLarge) await nextSlice()
    const { rows, events } = rowsOf(work, write)
    if (isLarge) await nextSlice()
    const all = [...rows, ...(decision.rows ?? []), ...swept]
    if (idempotency !== null && body !== null) {
      all.push(answerRow(idempotency, writer, write.now, { status, body, personIds: personsIn(decision.shown) }))
    }
    const save =
      all.length === 0 ? null : await inSlices(saveInSteps(organizationId, all, events, configuration.version))
    const added = (decision.jobs ?? []).map(request => addJob(transaction, organizationId, request))
    const saved = save === null ? [] : [transaction.query(save.statement, save.values)]
    await transaction.commit(Promise.all([...added, ...saved]))
    return body === null ? { status, data, meta } : { status, data, meta, body }
  } catch (error) {
    if (failureOf(error) === 'again') return new DecideAgain('the database reports a conflict', { cause: error })
    throw error
  } finally {
    await transaction.rollback()
  }
}

function writeContext(
  writer: Writer,
  owner: KeyOwner,
  services: WriteServices,
  configuration: Configuration,
): WriteContext {
  const { author, requestId, clientRequestId, origin, managesCustomFields } = writer
  return {
    ...owner,
    encrypt: (secret, place) =>
      services.secret.keyring.encrypt(secret, { organizationId: owner.organizationId, ...place }),
    ...(origin === undefined ? {} : { origin }),
    author,
    requestId,
    clientRequestId,
    managesCustomFields,
    configuration,
    now: timestamp(services.clock),
    transactionId: newId(),
    random: Math.random,
  }
}
