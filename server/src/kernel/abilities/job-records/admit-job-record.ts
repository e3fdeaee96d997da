import type { Caller } from '../../auth/index.ts'
import { Refusal, refuse } from '../../errors/index.ts'
import { type BoundName, bounds } from '../../limits/index.ts'
import type { Answer, Decision, Mutation } from '../../mutation/index.ts'
import type { Request } from '../../operation.ts'
import { Lookup, type WriteContext } from '../../record/index.ts'
import { newId } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { claimedStatement } from '../../sql/index.ts'
import { actionRow, type WorkingSet } from '../../write/index.ts'
import type { Needs } from '../../write/needs.ts'
import type { JobRecord } from './job-record.ts'
import type { RecordJob } from './record-job.ts'

/** The author of a request for a record, and the request. */
interface Asked {
  readonly applicationId: string
  /** The token of the request, or the user who made it. */
  readonly tokenId: string | null
  readonly startedBy: string | null
  readonly key: string
  readonly fingerprint: Buffer
}

/** A record that a request wants to create. */
interface NewRecord {
  needs?(needs: Needs): void
  /** Refuses the record, or returns what creates it: the rows for a record with this id and these columns about its author. */
  decide(
    work: WorkingSet,
    write: WriteContext,
  ): Refusal | ((id: string, asked: Asked) => Pick<Decision<unknown>, 'rows' | 'sweep'>)
}

/** An admitted record, or the one that an earlier request with the same key has created. */
interface AdmittedRecord {
  readonly id: unknown
  readonly status: unknown
}

/** The token or the user that starts a job, as its record keeps them. */
export function startedFor(credential: Caller['credential']): Pick<Asked, 'tokenId' | 'startedBy'> {
  return 'token' in credential
    ? { tokenId: credential.token.id, startedBy: null }
    : { tokenId: null, startedBy: credential.operatorId }
}

/** The answer to a request that creates a record: 202 with its id and status. */
export const answerAdmitted = ({ id, status }: AdmittedRecord): Answer => ({ status: 202, data: { id, status } })

/**
 * Admits records of a kind: at most one for an `Idempotency-Key` as long as the record is kept, even when the stored answer is gone
 * (contract section 3, "Retention"), and at most as many unfinished ones as the bound allows. `repeated` is SQL of the status in the
 * answer to a retry, where `j` is the row.
 */
export function admitJobRecord<State>(
  { kind, table, queued }: JobRecord<State>,
  job: RecordJob,
  { bound, repeated }: { readonly bound: BoundName; readonly repeated: string },
): (request: Request, services: Pick<Services, 'admission'>, record: NewRecord) => Mutation<AdmittedRecord> {
  // $1 organization, $2 application, $3 key.
  const selectOfKey = claimedStatement(
    `select_${kind}_of_key`,
    `select j.id, j.fingerprint, ${repeated} as status, j.created_at
     from ${table} j
    where j.organization_id = $1 and j.application_id = $2 and j.idempotency_key = $3`,
  )
  // $1 organization, $2 the bound: counts unfinished records up to the bound.
  const countUnfinished = claimedStatement(
    `count_unfinished_${table}`,
    `select count(*) as unfinished
     from (select from ${table} j where j.organization_id = $1 and ${queued} order by j.created_at limit $2) as u`,
  )
  return ({ caller: { keysOf, credential }, actor: { idempotency } }, { admission }, record) => {
    if (idempotency === null) throw new Error(`a request for a ${kind} has no key`)
    const { key, fingerprint } = idempotency
    const { most } = bounds[bound]
    const ofKey = Lookup.row(selectOfKey, [keysOf, key])
    const unfinished = new Lookup(countUnfinished, [most], ([row]) => Number(row?.unfinished))
    return {
      needs(needs) {
        needs.toAdd({ kind })
        needs.toLoad(ofKey, unfinished)
        record.needs?.(needs)
      },
      decide(work, write) {
        const known = work.read(ofKey)
        if (known !== null) {
          if (!(known.fingerprint instanceof Buffer) || !known.fingerprint.equals(fingerprint))
            return refuse('idempotency_conflict', { firstUsedAt: known.created_at })
          return { result: { id: known.id, status: known.status }, isReplay: true }
        }
        const make = record.decide(work, write)
        if (make instanceof Refusal) return make
        if (work.read(unfinished) >= most) return admission.refuse(bound)
        const id = newId()
        const { rows = [], ...others } = make(id, {
          applicationId: keysOf,
          ...startedFor(credential),
          key,
          fingerprint,
        })
        const noted = actionRow({ resourceType: kind, resourceId: id, action: `${kind}.created`, version: null }, write)
        return { result: { id, status: 'queued' }, ...others, rows: [...rows, noted], jobs: [job.request(id)] }
      },
    }
  }
}
