import {
  type Caller,
  cabinetPath,
  crmConventions,
  type Declared,
  defineOperation,
  isScope,
  mayRead,
  notFound,
  type Operation,
  pageMeta,
  type Request,
  type Resource,
  readPage,
  recordExists,
  type Services,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, listSchema, optionalTextSchema } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { lookedAtMost, selectHistory } from './audit.sql.ts'
import { entrySchema, toEntry } from './entry.ts'
import { auditProjection } from './project-entries.ts'

/** `GET …/history/<kind>/{id}` of every kind: who changed a record, and by what, the newest first. */
export function histories(kinds: Declared): Operation[] {
  const projectEntries = auditProjection(kinds)
  const project: Operation['project'] = (data, caller) => {
    const projected = projectEntries(data, caller)
    const entries = Array.isArray(projected.data) ? projected.data.filter(isObject) : []
    return { ...projected, data: entries.map(entry => withReadableNames(entry, caller)) }
  }
  const listed = kinds.resources.filter(({ isSynchronized }) => isSynchronized)
  return listed.map(resource =>
    defineOperation({
      id: `history.${resource.plural}`,
      method: 'GET',
      path: cabinetPath(`/history/${resource.plural}/{id}`),
      addresses: { resource, parameter: 'id' },
      summary: `List who changed a ${resource.kind}`,
      description: 'The newest first, also of a record that was removed.',
      scopes: [resource.scopes.read].filter(isScope),
      query: crmConventions.pages,
      answer: { data: listSchema(historyEntrySchema), meta: pageMeta },
      refuses: [['not_found', `There is no such ${resource.kind}, and nothing is known of one.`]],
      project,
      execute: (request, services) => readHistory(resource, request, services),
    }),
  )
}

/** The greatest UUID: the first page begins before it. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

async function readHistory(resource: Resource, request: Request, services: Services) {
  const { caller, reader, path } = request
  const { id } = path
  return readPage<Row>(request, services, {
    show: row => ({ ...toEntry(row), ...namesOf(row) }),
    positionOf: entry => ({ id: entry.id }),
    within: { id },
    async fill(page, { after, most }) {
      const values = [caller.organization.id, after?.id ?? newest, [resource.kind], null, null, most, lookedAtMost, id]
      let lastSeen: JsonObject | null = null
      await services.database.query(selectHistory, values, reader, (row, bytes) => {
        if (row.seen_to !== null) lastSeen = { id: row.seen_to }
        if (row.id !== null) page.add(row, bytes)
      })
      const isUnknown = page.isEmpty && after === null && !(await recordExists(resource, String(id), request, services))
      return isUnknown ? notFound() : (page.next ?? lastSeen)
    },
  })
}

/** The names that an entry shows. They are those of today; null for what is gone. */
function namesOf(row: Row): JsonObject {
  return {
    actorName: row.actor_type === 'ai_agent' ? row.agent_name : row.actor_name,
    applicationName: row.application_name,
    jobType: row.import_name !== null ? 'import' : row.bulk_action !== null ? 'bulk_job' : null,
    jobName: row.import_name ?? row.bulk_action,
  }
}

/** The entry with the names that the caller may read: those of operators, agents and files have scopes of their own. */
function withReadableNames(entry: JsonObject, { scopes }: Caller): JsonObject {
  const namesActor = entry.actorType === 'ai_agent' ? scopes.has('ai_agents_read') : mayRead('operators', scopes)
  const namesJob = entry.jobType !== 'import' || scopes.has('crm_import_manage')
  return { ...entry, actorName: namesActor ? entry.actorName : null, jobName: namesJob ? entry.jobName : null }
}

const historyEntrySchema = {
  ...entrySchema,
  title: 'HistoryEntry',
  required: [...entrySchema.required, 'actorName', 'applicationName', 'jobType', 'jobName'],
  properties: {
    ...entrySchema.properties,
    actorName: optionalTextSchema(
      'The name of the operator or AI agent; null for others, and without the right to read it.',
      'Olga',
    ),
    applicationName: optionalTextSchema('The name of the application.', 'ERP'),
    jobType: {
      type: ['string', 'null'],
      enum: ['import', 'bulk_job', null],
      description: 'The type of the job.',
      example: null,
    },
    jobName: optionalTextSchema('The file of an import, or what a bulk job does.', 'people.csv'),
  },
}
