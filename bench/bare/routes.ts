import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { prepareBatch } from './batch.ts'
import { auditChanges, type Caller, type ContactBody, newRow, shown } from './contact.ts'
import {
  createContact,
  findByKeys,
  getContact,
  listContacts,
  type NamedStatement,
  patchContact,
  saveBatch,
} from './statements.ts'

const base = '/api/v1/crm/contacts'

/** The five requests of the bench, on the paths of the product. Nothing is checked but the version of a change. */
export function addRoutes(server: FastifyInstance, pool: pg.Pool): void {
  const run = async (statement: NamedStatement, values: unknown[]) =>
    (await pool.query<Readonly<Record<string, unknown>>>({ ...statement, values })).rows

  server.get<{ Params: { id: string } }>(`${base}/:id`, async request => {
    const { organizationId, applicationId } = callerOf(request)
    const [row] = await run(getContact, [organizationId, applicationId, request.params.id])
    return { data: row }
  })

  server.get<{ Querystring: { limit: string } }>(base, async request => {
    const { organizationId, applicationId } = callerOf(request)
    return { data: await run(listContacts, [organizationId, applicationId, Number(request.query.limit)]) }
  })

  server.post<{ Body: ContactBody }>(base, async (request, reply) => {
    const caller = callerOf(request)
    const now = new Date().toISOString()
    const row = newRow(request.body, caller, now)
    const answer = JSON.stringify({ data: shown(row) })
    await run(createContact, [
      ...[caller.organizationId, caller.applicationId, row.id, now, row.first_name, row.last_name, row.job_title],
      ...[row.description, row.source, row.contact_data, row.search_names, row.search_contact_data, row.external_id],
      ...[JSON.stringify(auditChanges(request.body, null)), caller.idempotencyKey, answer],
      ...[randomUUID(), uuidv7(), uuidv7(), uuidv7()],
    ])
    return reply.code(201).type('application/json').send(answer)
  })

  server.patch<{ Body: ContactBody; Params: { id: string } }>(`${base}/:id`, async (request, reply) => {
    const { organizationId, applicationId, idempotencyKey } = callerOf(request)
    const { expectedVersion, jobTitle, description } = request.body
    const [answer] = await run(patchContact, [
      ...[organizationId, applicationId, request.params.id, new Date().toISOString(), expectedVersion],
      ...[jobTitle, description, idempotencyKey, randomUUID(), uuidv7(), uuidv7(), uuidv7()],
    ])
    if (answer === undefined) return reply.code(409).send({ error: 'another version' })
    return reply.type('application/json').send(answer.body)
  })

  server.post<{ Body: { items: ContactBody[] } }>(`${base}/batch/upsert`, async (request, reply) => {
    const caller = callerOf(request)
    const keys = request.body.items.map(({ externalId }) => externalId)
    const known = await run(findByKeys, [caller.organizationId, caller.applicationId, keys])
    const { values, answer, changed } = prepareBatch(request.body.items, known, caller)
    const [saved] = await run(saveBatch, values)
    if (saved?.changed !== changed) return reply.code(409).send({ error: 'another version' })
    return reply.type('application/json').send(answer)
  })
}

function callerOf({ headers }: FastifyRequest): Caller {
  return {
    organizationId: String(headers['x-organization']),
    applicationId: String(headers['x-application']),
    idempotencyKey: String(headers['idempotency-key']),
  }
}
