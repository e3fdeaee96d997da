import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { nextRow, prepareBatch } from './batch.ts'
import { auditChanges, type Caller, type ContactBody, newRow, shown } from './contact.ts'
import { addSearches, searchContacts } from './search.ts'
import {
  createContact,
  findByKeys,
  getContact,
  listAudit,
  listChanges,
  listContacts,
  lockContact,
  patchContact,
  saveBatch,
} from './statements.ts'
import { inTransaction, type Row, run } from './transaction.ts'

const crm = '/api/v1/crm'
const base = `${crm}/contacts`

/** The requests of the bench, on the paths of the product. Only the version of a change is checked. */
export function addRoutes(server: FastifyInstance, pool: pg.Pool, searches: pg.Pool): void {
  addSearches(server, searches)
  server.get<{ Params: { id: string } }>(`${base}/:id`, async request => {
    const { organizationId, applicationId } = callerOf(request)
    const [row] = await run(pool, getContact, [organizationId, applicationId, request.params.id])
    return { data: row }
  })

  server.get<{ Querystring: { limit: string; search?: string } }>(base, async request => {
    const { organizationId, applicationId } = callerOf(request)
    const { limit, search } = request.query
    const values = [organizationId, applicationId, Number(limit)]
    if (search !== undefined) return { data: await searchContacts(searches, values, search) }
    return { data: await run(pool, listContacts, values) }
  })

  server.get<{ Querystring: { after: string; limit: string } }>(`${crm}/changes`, async request => {
    const { organizationId, applicationId } = callerOf(request)
    const { after, limit } = request.query
    const rows = await run(pool, listChanges, [organizationId, applicationId, positionIn(after), Number(limit)])
    return { data: rows }
  })

  server.get<{ Querystring: { limit: string } }>(`${crm}/audit`, async request => {
    const { organizationId } = callerOf(request)
    return { data: await run(pool, listAudit, [organizationId, Number(request.query.limit)]) }
  })

  server.post<{ Body: ContactBody }>(base, async (request, reply) => {
    const caller = callerOf(request)
    const { organizationId, applicationId } = caller
    const { answer } = await inTransaction(pool, async client => {
      const known = await run(client, findByKeys, [organizationId, applicationId, [request.body.externalId]])
      if (known.length > 0) throw new Error('the key is taken')
      const now = new Date().toISOString()
      const row = newRow(request.body, caller, now)
      const answer = JSON.stringify({ data: shown(row) })
      const saved = run(client, createContact, [
        ...[organizationId, applicationId, row.id, now, row.first_name, row.last_name, row.job_title, row.description],
        ...[row.source, row.contact_data, row.search_names, row.search_contact_data, row.external_id],
        ...[JSON.stringify(auditChanges(request.body, null)), caller.idempotencyKey, answer],
        ...[randomUUID(), uuidv7(), uuidv7(), uuidv7()],
      ])
      return { saved, answer }
    })
    return reply.code(201).type('application/json').send(answer)
  })

  server.patch<{ Body: ContactBody; Params: { id: string } }>(`${base}/:id`, async (request, reply) => {
    const caller = callerOf(request)
    const { organizationId, applicationId } = caller
    const { text } = await inTransaction(pool, async client => {
      const [before] = await run(client, lockContact, [organizationId, applicationId, request.params.id])
      return change(client, before, request.body, caller)
    })
    return reply.type('application/json').send(text)
  })

  // The contact exists: the bench only requests such ones.
  server.post<{ Body: ContactBody }>(`${base}/upsert`, async (request, reply) => {
    const caller = callerOf(request)
    const { organizationId, applicationId } = caller
    const { text } = await inTransaction(pool, async client => {
      const [before] = await run(client, findByKeys, [organizationId, applicationId, [request.body.externalId]])
      return change(client, before, request.body, caller)
    })
    return reply.type('application/json').send(text)
  })

  server.post<{ Body: { items: ContactBody[] } }>(`${base}/batch/upsert`, async (request, reply) => {
    const caller = callerOf(request)
    const { items } = request.body
    const keys = items.map(({ externalId }) => externalId)
    const { saved, text, changed } = await inTransaction(pool, async client => {
      const known = await run(client, findByKeys, [caller.organizationId, caller.applicationId, keys])
      const { values, answer, changed } = prepareBatch(items, known, caller)
      return { saved: run(client, saveBatch, values), text: answer, changed }
    })
    if ((await saved)[0]?.changed !== changed) throw new Error('another version')
    return reply.type('application/json').send(text)
  })
}

/** Saves the change of a locked contact, and returns its answer. */
function change(client: pg.PoolClient, before: Row = {}, body: ContactBody, caller: Caller) {
  const { organizationId, applicationId, idempotencyKey } = caller
  const { expectedVersion, jobTitle, description } = body
  if (Number(before.version) !== expectedVersion) throw new Error('another version')
  const now = new Date().toISOString()
  const after = nextRow(before, body, now)
  const text = JSON.stringify({ data: after })
  const saved = run(client, patchContact, [
    ...[organizationId, applicationId, after.id, now, after.version, jobTitle, description, idempotencyKey],
    ...[randomUUID(), uuidv7(), uuidv7(), uuidv7(), JSON.stringify(auditChanges(body, before)), text],
  ])
  return { saved, text }
}

/** The number in a cursor of the product, which has a signature of 16 bytes before it. */
function positionIn(cursor: string): number {
  const { key }: { key: { seq: number } } = JSON.parse(Buffer.from(cursor, 'base64url').subarray(16).toString())
  return key.seq
}

function callerOf({ headers }: FastifyRequest): Caller {
  return {
    organizationId: String(headers['x-organization']),
    applicationId: String(headers['x-application']),
    idempotencyKey: String(headers['idempotency-key']),
  }
}
