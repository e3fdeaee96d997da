import {
  crmConventions,
  type Declared,
  defineOperation,
  limits,
  type Operation,
  pageMeta,
  type Request,
  readPage,
  type Services,
  textParameter,
  uuidParameter,
} from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { lookedAtMost, selectAuditEntries, selectAuditEntriesOfRecord } from './audit.sql.ts'
import { entrySchema, toEntry } from './entry.ts'
import { auditProjection } from './project-entries.ts'
import { readableTypesOf } from './readable-types.ts'

/** `GET /audit`: who changed what, newest first, limited to what the token may read (contract section 11). */
export function listAudit(kinds: Declared): Operation {
  const readableTypes = readableTypesOf(kinds)
  return defineOperation({
    id: 'audit.list',
    method: 'GET',
    path: '/api/v1/crm/audit',
    summary: 'List who changed what',
    description:
      'The newest first. Entries of resource types without their read scope are left out, and a filter by such a type finds ' +
      `nothing. A page looks at ${lookedAtMost} entries at most, so it can be short, or empty, while nextCursor is not null.`,
    scopes: ['crm_audit_read'],
    query: {
      ...crmConventions.pages,
      resourceType: textParameter(limits.auditResourceTypeLength, 'Entries of one type of resource', 'contact'),
      action: textParameter(limits.auditActionLength, 'Entries of one action', 'contact.updated'),
      applicationId: uuidParameter('Entries of one application'),
      resourceId: uuidParameter('Entries of one record, export, import or job'),
    },
    answer: { data: { type: 'array', items: entrySchema }, meta: pageMeta },
    project: auditProjection(kinds),
    execute: (request, services) => readEntries(request, services, readableTypes(request.caller)),
  })
}

/** The greatest UUID: the first page begins before it, so it includes the newest entries. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

async function readEntries(request: Request, services: Services, readable: readonly string[] | null) {
  const { caller, reader } = request
  return readPage<Row>(request, services, {
    show: toEntry,
    positionOf: ({ id }) => ({ id }),
    async fill(page, { after, most, filters: { resourceType, action = null, applicationId = null, resourceId } }) {
      const mayRead = readable === null || readable.some(type => type === resourceType)
      const types = resourceType === undefined ? readable : mayRead ? [resourceType] : []
      const values = [caller.organization.id, after?.id ?? newest, types, action, applicationId, most, lookedAtMost]
      const [statement, more] =
        resourceId === undefined ? [selectAuditEntries, []] : [selectAuditEntriesOfRecord, [resourceId]]
      let lastSeen: JsonObject | null = null
      await services.database.query(statement, [...values, ...more], reader, (row, bytes) => {
        if (row.seen_to !== null) lastSeen = { id: row.seen_to }
        if (row.id !== null) page.add(row, bytes)
      })
      return page.next ?? lastSeen
    },
  })
}
