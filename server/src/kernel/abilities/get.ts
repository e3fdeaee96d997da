import { notFound, refuse } from '../errors/index.ts'
import { defineOperation, type Operation } from '../operation.ts'
import { presentingRead, represent, toRecord } from '../record/codec.ts'
import { isSynchronized } from '../record/record-head.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { projectRecord } from '../redact/index.ts'
import { isAnonymized } from '../write/decide.ts'
import { addressedId, aRecord, ofRecord, operationGroup, readScopes, recordSchema } from './ability.ts'
import { refusalsOfPath } from './refusals.ts'

/** `GET /<kind>/:id`: 200 with the record, 404, or 410 for an anonymized contact. */
export function get(resource: Resource): Operation {
  const isKeyed = isSynchronized(resource)
  return defineOperation({
    id: `${operationGroup(resource)}.get`,
    conventions: resource.conventions,
    method: 'GET',
    ...ofRecord(resource),
    summary: `Read ${aRecord(resource)}`,
    scopes: readScopes(resource),
    answer: { data: recordSchema(resource) },
    refuses: refusalsOfPath(resource),
    project: (data, caller) => projectRecord(resource, data, caller),
    async execute(request, services) {
      const { caller, reader } = request
      const { organization, keysOf } = caller
      const id = addressedId(request)
      const values = isKeyed ? [organization.id, keysOf, id] : [organization.id, id]
      const [row] = await services.database.query(recordStatements(resource).get, values, reader)
      if (row === undefined) return notFound()
      const record = toRecord(row)
      if (isAnonymized(resource, record)) return refuse('resource_deleted')
      return { status: 200, data: represent(resource, record, presentingRead(request, services)), meta: {} }
    },
  })
}
