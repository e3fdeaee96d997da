import { cabinetPath, type Declared, defineOperation, notFound, type Operation } from '../../kernel/index.ts'
import {
  booleanSchema,
  isObject,
  type JsonObject,
  listSchema,
  objectSchema,
  optionalTextSchema,
  textSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { entrySchema, toEntry } from './entry.ts'
import { auditProjection } from './project-entries.ts'
import { readableTypesOf } from './readable-types.ts'
import { selectAnswersOf, selectChangesOf, selectEntriesOf } from './request.sql.ts'

/** `GET …/requests/{id}`: what a request of the organization has stored, as far as it is kept and the caller may read it. */
export function showRequest(kinds: Declared): Operation {
  const readableTypes = readableTypesOf(kinds)
  const projectEntries = auditProjection(kinds)
  return defineOperation({
    id: 'requests.get',
    method: 'GET',
    path: cabinetPath('/requests/{id}'),
    summary: 'Read what a request has done',
    description: 'By the `requestId` of an answer. A request that changed nothing and did not succeed stores nothing.',
    scopes: ['crm_audit_read'],
    answer: { data: requestSchema },
    refuses: [['not_found', 'No request with this id has stored anything.']],
    project(data, caller) {
      const request: JsonObject = isObject(data) ? data : {}
      const { data: entries, redacted } = projectEntries(request.entries, caller)
      return { data: { ...request, entries }, redacted }
    },
    async execute({ caller, path, reader }, { database }) {
      const values = [caller.organization.id, path.id]
      const types = readableTypes(caller)
      const [answers, entries] = await Promise.all([
        database.query(selectAnswersOf, values, reader),
        database.query(selectEntriesOf, [...values, types], reader),
      ])
      if (answers.length + entries.length === 0) return notFound()
      const times = entries.map(({ occurred_at: time }) => time)
      const changes = await database.query(selectChangesOf, [...values, times, types], reader)
      const data = {
        id: path.id,
        answers: answers.map(toAnswer),
        entries: entries.map(toEntry),
        changes: changes.map(toChange),
      }
      return { status: 200, data, meta: {} }
    },
  })
}

function toAnswer(row: Row): JsonObject {
  return {
    operation: row.operation,
    status: row.status,
    createdAt: row.created_at,
    clientRequestId: row.client_request_id,
    applicationId: row.application_id,
    applicationName: row.application_name,
    isErased: row.erased,
  }
}

function toChange(row: Row): JsonObject {
  return {
    seq: Number(row.seq),
    kind: row.kind,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    version: row.version === null ? null : Number(row.version),
    changedFields: row.changed_fields,
    occurredAt: row.occurred_at,
  }
}

const time = (description: string) => ({ type: 'string', format: 'date-time', description })

const requestSchema = objectSchema('StoredRequest', {
  id: uuidSchema,
  answers: listSchema(
    objectSchema('StoredAnswer', {
      operation: optionalTextSchema('The id of the operation.', 'contacts.update'),
      status: { type: 'integer', description: 'The status of the answer.', example: 200 },
      createdAt: time('When it was answered.'),
      clientRequestId: optionalTextSchema('The id that the client gave the request, if it is another one.'),
      applicationId: uuidSchema,
      applicationName: optionalTextSchema('The application, null if it is gone.', 'ERP'),
      isErased: booleanSchema('Whether the answer told of a person who was erased since.', false),
    }),
    'Several if a client has used one id for several requests.',
  ),
  entries: listSchema(entrySchema, 'What was changed.'),
  changes: listSchema(
    objectSchema('ToldChange', {
      seq: { type: 'integer', description: 'The number in the change feed.', example: 42 },
      kind: textSchema('What happened.', 'contact.updated'),
      resourceType: textSchema('The kind of the record.', 'contact'),
      resourceId: uuidSchema,
      version: { type: ['integer', 'null'], description: 'The version since then.', example: 3 },
      changedFields: listSchema({ type: 'string' }, 'What changed.'),
      occurredAt: time('When it happened.'),
    }),
    'What the change feed tells of it.',
  ),
})
