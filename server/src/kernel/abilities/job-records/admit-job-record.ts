import type { Decision } from '../../attempt/decision.ts'
import { type Refusal, refuse } from '../../errors/index.ts'
import { type BoundName, bounds } from '../../limits/index.ts'
import type { Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { claimedStatement } from '../../sql/index.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import type { JobRecord } from './job-record.ts'

interface AdmissionDeclaration {
  /** How many records an organization can have unfinished; more are refused for a while. */
  readonly bound: BoundName
  /** SQL of the status that a repetition is answered, where `j` is the row of the record. */
  readonly repeated: string
}

/** What admits a new record: see `admitJobRecord`. */
interface JobAdmission {
  /** The columns that say what has asked for the record. */
  readonly asked: {
    readonly application_id: string
    readonly token_id: string
    readonly idempotency_key: string
    readonly fingerprint: Buffer
  }
  needs(needs: Needs): void
  /** The answer where the key has made a record already, or a refusal where another request has used it; else null. */
  known(work: WorkingSet): Decision | Refusal | null
  /** Refuses one record too many. */
  full(work: WorkingSet): Refusal | null
  /** The answer to a new record. */
  accepted(id: string): Decision
}

/**
 * Takes records of a kind in, each at most once for an `Idempotency-Key`: for as long as the record is kept, also when the stored answer
 * is gone (contract section 3, "Retention").
 */
export function admitJobRecord<State>(
  { kind, table, queued }: JobRecord<State>,
  { bound, repeated }: AdmissionDeclaration,
): (request: Request, services: Pick<Services, 'admission'>) => JobAdmission {
  // $1 organization, $2 application, $3 key.
  const selectOfKey = claimedStatement(
    `select_${kind}_of_key`,
    `select j.id, j.fingerprint, ${repeated} as status, j.created_at
     from ${table} j
    where j.organization_id = $1 and j.application_id = $2 and j.idempotency_key = $3`,
  )
  // $1 organization, $2 the most: how many are not finished, counted up to that.
  const countUnfinished = claimedStatement(
    `count_unfinished_${table}`,
    `select count(*) as unfinished
     from (select from ${table} j where j.organization_id = $1 and ${queued}
            order by j.created_at limit $2) as u`,
  )
  return ({ caller: { application, token }, writer: { idempotency } }, { admission }) => {
    if (idempotency === null) throw new Error(`a request for a ${kind} has no key`)
    const { key, fingerprint } = idempotency
    const accepted = (id: unknown, status: unknown) => ({ status: 202, data: { id, status }, meta: {}, shown: [] })
    return {
      asked: { application_id: application.id, token_id: token.id, idempotency_key: key, fingerprint },
      needs(needs) {
        needs.toAdd({ kind })
        needs.toLoad([
          { name: 'record_of_key', statement: selectOfKey, values: [application.id, key] },
          { name: 'unfinished', statement: countUnfinished, values: [bounds[bound].most] },
        ])
      },
      known(work) {
        const [known] = work.extra('record_of_key')
        if (known === undefined) return null
        if (!(known.fingerprint instanceof Buffer) || !known.fingerprint.equals(fingerprint))
          return refuse('idempotency_conflict', { firstUsedAt: known.created_at })
        return { ...accepted(known.id, known.status), isReplay: true }
      },
      full: work =>
        Number(work.extra('unfinished')[0]?.unfinished) < bounds[bound].most ? null : admission.refuse(bound),
      accepted: id => accepted(id, 'queued'),
    }
  }
}
