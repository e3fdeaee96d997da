import {
  admitJobRecord,
  type BulkAction,
  BulkReferences,
  defineOperation,
  limits,
  type Mutation,
  mutate,
  type Operation,
  Refusal,
  type Request,
  type Services,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { actionRow } from '../../kernel/write/index.ts'
import { insertBulkJob, insertBulkJobTargets } from './admission.sql.ts'
import { bulkJobRecord } from './bulk-job.ts'
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
    execute: async (request, services) => mutate(await admission(request, services), request.writer, services),
  })
}

const admit = admitJobRecord(bulkJobRecord, { bound: 'organizationBulkJobs', repeated: `'queued'` })

/** Decides about a new job: known already, one too many, or taken in if all targets are there. */
async function admission(request: Request, services: Services): Promise<Mutation> {
  const { action, targets, changes } = inputOf(request)
  const { organization, application } = request.caller
  const admitted = admit(request, services)
  const references = await BulkReferences.of(
    action.resource,
    targets.map(({ reference }) => reference),
    application.id,
    services.secret,
  )
  return {
    needs(needs) {
      admitted.needs(needs)
      needs.toLoad([references.need])
    },
    decide(work, write) {
      const known = admitted.known(work)
      if (known !== null) return known
      const ids = references.resolve(work.extra(references.need.name), '/targets')
      if (ids instanceof Refusal) return ids
      const full = admitted.full(work)
      if (full !== null) return full
      const id = newId()
      const { application_id, token_id, idempotency_key, fingerprint } = admitted.asked
      const key = [application_id, idempotency_key, fingerprint]
      const asked = [action.resource.kind, action.name, JSON.stringify(changes), write.now]
      const versions = targets.map(({ expectedVersion }) => expectedVersion)
      const job = [organization.id, id, ...key, ...asked, ids.length, token_id]
      return {
        ...admitted.accepted(id),
        rows: [
          actionRow({ resourceType: 'bulk_job', resourceId: id, action: 'bulk_job.created', version: null }, write),
        ],
        jobs: [bulkJob.request(id)],
        async sweep(transaction) {
          await Promise.all([
            transaction.query(insertBulkJob, job),
            transaction.query(insertBulkJobTargets, [organization.id, id, ids, versions]),
          ])
          return []
        },
      }
    },
  }
}
