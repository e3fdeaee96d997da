import {
  type Author,
  bounds,
  defineJob,
  type JobContext,
  type Mutation,
  mutate,
  needPhones,
  normalizingPhones,
  Refusal,
  type Resource,
  readsOtherwise,
  unattended,
} from '../../kernel/index.ts'
import { beforeAllIds, newId } from '../../kernel/schema/index.ts'
import type { RecordChange, WorkingSet } from '../../kernel/write/index.ts'
import {
  kindsToRead,
  lockNormalization,
  type Normalization,
  phoneNormalizations,
  selectNormalization,
  toNormalization,
} from './normalization.ts'

type Surroundings = Pick<JobContext, 'organizationId' | 'services'>

/**
 * Computes the E.164 forms of an organization's phone numbers anew (contract section 6.1), chunk after chunk. Each record whose number is
 * another one then has a new version and one event. What becomes of a chunk is committed together with how far the job is, so a
 * process that ends in between loses nothing and repeats nothing.
 */
export const phoneNormalization = defineJob({
  name: 'phone_normalization',
  async run({ id }, context) {
    do {
      const run = await find(String(id), context)
      if (run === null || run.finishedAt !== null) return 'done'
      await write(chunkOf(run, context), run, context)
      await context.pace.rest()
    } while (!context.signal.aborted && performance.now() < context.turnEnds)
    return 'again'
  },
  giveUp: ({ id }, context) => end(String(id), 'failed', context),
  cancel: ({ id }, context) => end(String(id), 'canceled', context),
  async progress({ id }, context) {
    const run = await find(String(id), context)
    if (run === null) return null
    const { status, startedAt, finishedAt, examined, changed } = run
    return { status, startedAt, finishedAt, counters: { changed }, done: examined, total: null }
  },
})

async function find(id: string, { organizationId, services }: Surroundings): Promise<Normalization | null> {
  const values = [organizationId, id]
  const [row] = await services.database.query(selectNormalization, values, unattended(organizationId))
  return row === undefined ? null : toNormalization(row)
}

/** The next records of a run, as one mutation. Another process may have gone on meanwhile: then it changes nothing. */
function chunkOf(run: Normalization, { services, pace }: JobContext): Mutation<null, never> {
  const kinds = kindsToRead(services)
  const index = run.kind === null ? 0 : kinds.findIndex(({ kind }) => kind === run.kind)
  const resource = kinds[index]
  if (resource === undefined) throw new Error(`there are no phones of ${run.kind} records any more`)
  const most = pace.partOf(bounds.bulkChunk.most)
  const startedAt = run.startedAt ?? new Date(services.clock.now()).toISOString()
  const page = needPhones(resource, run.lastId ?? beforeAllIds, most)
  let changes: readonly RecordChange[] = []
  return {
    needs(needs, work, configuration) {
      const { country } = configuration.organization
      needs.toLoad([{ name: 'normalization', statement: lockNormalization, values: [] }, page])
      const others = isCurrent(run, work) ? work.extra(page.name).filter(row => readsOtherwise(row, country)) : []
      changes = others.map(({ id }) => normalizingPhones(resource, String(id)))
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      if (!isCurrent(run, work)) return nothing
      let { examined, changed } = run
      for (const change of changes) {
        const step = change.decide('', work, write)
        if (step instanceof Refusal || step.effect === null) continue
        work.apply(step.effect)
        changed += 1
      }
      const records = work.extra(page.name)
      examined += records.length
      const place = placeBehind(records.at(-1)?.id, records.length < most ? kinds[index + 1] : resource)
      const isFinished = place === null
      const ended = { status: isFinished ? 'completed' : 'running', finished_at: isFinished ? write.now : null }
      const row = { ...place, ...ended, examined, changed, started_at: startedAt }
      return { ...nothing, rows: [{ table: phoneNormalizations, operation: 'update', row }] }
    },
  }

  function placeBehind(last: unknown, next: Resource | undefined) {
    if (next === undefined) return null
    return { kind: next.kind, last_id: next === resource ? last : beforeAllIds }
  }
}

const nothing = { result: null }

/** Whether the locked run is where it was when the chunk was planned. */
function isCurrent({ id, kind, lastId }: Normalization, work: WorkingSet): boolean {
  const [row] = work.extra('normalization')
  if (row === undefined) return false
  const locked = toNormalization(row)
  return locked.id === id && locked.finishedAt === null && locked.kind === kind && locked.lastId === lastId
}

/** Ends a run before it has read all records. Does nothing if it has ended, or another one has taken its place. */
async function end(id: string, status: 'failed' | 'canceled', context: Surroundings): Promise<void> {
  await write(
    {
      needs: needs => needs.toLoad([{ name: 'normalization', statement: lockNormalization, values: [] }]),
      decide(work, { now }) {
        const [row] = work.extra('normalization')
        if (row === undefined || row.id !== id || row.finished_at !== null) return nothing
        return {
          ...nothing,
          rows: [{ table: phoneNormalizations, operation: 'update', row: { status, finished_at: now } }],
        }
      },
    },
    { id },
    context,
  )
}

async function write(
  mutation: Mutation<null, never>,
  { id }: Pick<Normalization, 'id'>,
  { organizationId, services }: Surroundings,
): Promise<void> {
  const author: Author = { type: 'system', uuid: null, jobId: id }
  const writer = {
    organizationId,
    author,
    applicationId: null,
    requestId: newId(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: false,
    reader: unattended(organizationId),
  }
  await mutate(mutation, writer, services)
}
