import {
  type BulkAction,
  BulkReferences,
  bounds,
  defineOperation,
  type Idempotency,
  limits,
  type Mutation,
  mutate,
  type Operation,
  Refusal,
  type Request,
  refuse,
  type Services,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { actionRow } from '../../kernel/write/index.ts'
import { countUnfinished, insertBulkJob, insertBulkJobTargets, selectJobOfKey } from './admission.sql.ts'
import { bulkJobBody, inputOf } from './bulk-job-input.ts'
import { receiptSchema } from './bulk-job-schema.ts'
import { bulkJob } from './run-bulk-job.ts'

/**
 * `POST /bulk-jobs`: takes a change of up to 10,000 records in, or refuses it whole if one of them is missing or gone
 * (contract section 10.1). The key makes one job for as long as the job is kept.
 */
export function createBulkJob(actions: readonly BulkAction[]): Operation {
  return defineOperation({
    id: 'bulkJobs.create',
    method: 'POST',
    path: '/bulk-jobs',
    summary: 'Change many records in the background',
    description:
      'Either all targets are taken in or none. They are then changed one by one, in their order, each by the rules of a single ' +
      'request: one that is refused does not hold the others. Repeated with its Idempotency-Key, the request makes no second ' +
      'job for as long as the first one is kept.',
    scopes: ['crm_bulk_manage'],
    success: [202],
    bodyLimit: limits.batchBodyBytes,
    body: bulkJobBody(actions),
    refuses: [
      ['not_found', 'There is no such target, or `changes` names a record that does not exist.'],
      ['resource_deleted', 'A target is a contact that was anonymized.'],
      [
        'external_reference_deleted',
        'A target or a reference in `changes` names a removed record by its `externalId`.',
      ],
      ['unprocessable', 'Two targets are one record, or `changes` has a value that the organization does not have.'],
    ],
    answer: { data: receiptSchema },
    valueScopes: body => {
      const { action, changes } = inputOf({ body })
      return action.valueScopes(changes)
    },
    execute: async (request, services) =>
      mutate(await admission(request, services), request.writer, services, id => ({
        status: 202,
        data: { id, status: 'queued' },
      })),
  })
}

/** Decides about a new job: known already, one too many, or taken in if all targets are there. */
async function admission(request: Request, services: Services): Promise<Mutation<unknown>> {
  const { action, targets, changes } = inputOf(request)
  const { organization, keysOf, credential } = request.caller
  const { idempotency } = request.writer
  if (idempotency === null) throw new Error('a bulk job has no key')
  const references = await BulkReferences.of(
    action.resource,
    targets.map(({ reference }) => reference),
    keysOf,
    services.secret,
  )
  return {
    needs(needs) {
      needs.toAdd({ kind: 'bulk_job' })
      needs.toLoad([
        { name: 'job_of_key', statement: selectJobOfKey, values: [keysOf, idempotency.key] },
        { name: 'unfinished', statement: countUnfinished, values: [] },
        references.need,
      ])
    },
    decide(work, write) {
      const [known] = work.extra('job_of_key')
      if (known !== undefined) return repeated(known, idempotency)
      const ids = references.resolve(work.extra(references.need.name), '/targets')
      if (ids instanceof Refusal) return ids
      if (Number(work.extra('unfinished')[0]?.unfinished) >= bounds.organizationBulkJobs.most)
        return services.admission.refuse('organizationBulkJobs')
      const id = newId()
      const key = [keysOf, idempotency.key, idempotency.fingerprint]
      const asked = [action.resource.kind, action.name, JSON.stringify(changes), write.now]
      const versions = targets.map(({ expectedVersion }) => expectedVersion)
      const job = [organization.id, id, ...key, ...asked, ids.length, credential.token.id]
      return {
        result: id,
        rows: [
          actionRow({ resourceType: 'bulk_job', resourceId: id, action: 'bulk_job.created', version: null }, write),
        ],
        jobs: [{ job: bulkJob, payload: { jobId: id }, key: id }],
        async sweep(transaction) {
          await Promise.all([
            transaction.query(insertBulkJob, job),
            transaction.query(insertBulkJobTargets, [organization.id, id, ids, versions]),
          ])
          return {}
        },
      }
    },
  }
}

/** The answer to a key that has made a job, whose stored answer is gone by now (contract section 3, "Retention"). */
function repeated(job: Row, { fingerprint }: Idempotency) {
  if (job.fingerprint !== `\\x${fingerprint.toString('hex')}`)
    return refuse('idempotency_conflict', { firstUsedAt: job.created_at })
  return { result: job.id, isReplay: true as const }
}
