import {
  admitJobRecord,
  answerAdmitted,
  type BulkAction,
  BulkReferences,
  defineOperation,
  limits,
  mutate,
  type Operation,
  Refusal,
} from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { bulkJobRecord } from './bulk-job.ts'
import { bulkJobBody, bulkJobInputOf } from './bulk-job-input.ts'
import { bulkJobReceiptSchema } from './bulk-job-schema.ts'
import { bulkJob } from './run-bulk-job.ts'

/**
 * `POST /bulk-jobs`: accepts a change of up to 10,000 records, or refuses it as a whole if one of them is missing or removed (contract
 * section 10.1). An idempotency key creates one job for as long as the job is kept.
 */
export function createBulkJob(actions: readonly BulkAction[]): Operation {
  return defineOperation({
    id: 'bulkJobs.create',
    method: 'POST',
    path: '/api/v1/crm/bulk-jobs',
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
    answer: { data: bulkJobReceiptSchema },
    valueScopes: body => {
      const { action, changes } = bulkJobInputOf({ body })
      return action.valueScopes(changes)
    },
    async execute(request, services) {
      const { action, targets, changes } = bulkJobInputOf(request)
      const { organization, keysOf } = request.caller
      const named = targets.map(({ reference }) => reference)
      const references = await BulkReferences.of(action.resource, named, keysOf, services.secret)
      const mutation = admit(request, services, {
        needs: needs => needs.toLoad(references.rows),
        decide(work, { now }) {
          const ids = references.resolve(work.read(references.rows), '/targets')
          if (ids instanceof Refusal) return ids
          return (id, { applicationId, tokenId, startedBy, key, fingerprint }) => ({
            async sweep(transaction) {
              const asked = [action.resource.kind, action.name, JSON.stringify(changes), now]
              const job = [
                organization.id,
                id,
                applicationId,
                key,
                fingerprint,
                ...asked,
                ids.length,
                tokenId,
                startedBy,
              ]
              const versions = targets.map(({ expectedVersion }) => expectedVersion)
              await Promise.all([
                transaction.query(insertBulkJob, job),
                transaction.query(insertBulkJobTargets, [organization.id, id, ids, versions]),
              ])
              return {}
            },
          })
        },
      })
      return mutate(mutation, request.actor, services, answerAdmitted)
    },
  })
}

const admit = admitJobRecord(bulkJobRecord, bulkJob, { bound: 'organizationBulkJobs', repeated: `'queued'` })

/**
 * Writes a job. $1 organization, $2 id, $3 application, $4 key, $5 fingerprint, $6 kind of the records, $7 action, $8 changes, $9 time,
 * $10 how many targets it has, $11 id of the token, $12 the member who creates it.
 */
const insertBulkJob = statement(
  'insert_bulk_job',
  `insert into bulk_jobs (organization_id, id, application_id, idempotency_key, fingerprint, entity_type, action, changes,
                          status, total, created_at, token_id, started_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, 'queued', $10, $9, $11, $12)`,
)

/**
 * Writes the targets of a job, in order. $1 organization, $2 id of the job, $3 ids of the records, $4 their expected versions. On a cluster
 * they are written to the node that holds the organization.
 */
const insertBulkJobTargets = statement(
  'insert_bulk_job_targets',
  `insert into bulk_job_targets (organization_id, job_id, ordinal, record_id, expected_version)
   select o.id, $2, w.ordinal - 1, w.id, w.expected_version
     from unnest($3::uuid[], $4::bigint[]) with ordinality as w(id, expected_version, ordinal)
    cross join organizations o
    where o.id = $1`,
)
