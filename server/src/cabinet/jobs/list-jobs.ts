import {
  type Caller,
  cabinetPath,
  crmConventions,
  type Declared,
  defineOperation,
  mayRead,
  type Operation,
  pageMeta,
  readPage,
} from '../../kernel/index.ts'
import {
  booleanSchema,
  countSchema,
  isObject,
  type JsonObject,
  type JsonSchema,
  listSchema,
  objectSchema,
  optionalTextSchema,
  optionalUuidSchema,
  textSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { selectJobs } from './jobs.sql.ts'

/** The greatest UUID: the first page begins before it. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The right of owners, who see the exports of all. */
const isOwner = ({ scopes }: Caller) => scopes.has('members_manage')

/** `GET …/jobs`: the imports, exports and bulk jobs of the organization, the newest first. Others than owners see their own exports alone. */
export function listJobs({ jobTypes }: Declared): Operation {
  const readable = ({ scopes }: Caller) => jobTypes.filter(({ scope }) => scopes.has(scope)).map(({ type }) => type)
  return defineOperation({
    id: 'jobs.list',
    method: 'GET',
    path: cabinetPath('/jobs'),
    summary: 'List imports, exports and bulk jobs',
    description:
      'The newest first, of the types that the caller may read. Exports are shown to who started them, and to owners.',
    scopes: [],
    query: crmConventions.pages,
    answer: { data: listSchema(jobSchema(jobTypes.map(({ type }) => type))), meta: pageMeta },
    project: projectJobs,
    execute(request, services) {
      const { caller, reader } = request
      return readPage<Row>(request, services, {
        show: toJob,
        positionOf: ({ id }) => ({ id }),
        async fill(page, { after, most }) {
          const whose = [caller.author.uuid, isOwner(caller)]
          const values = [caller.organization.id, after?.id ?? newest, most, readable(caller), ...whose]
          await services.database.query(selectJobs, values, reader, (row, bytes) => page.add(row, bytes))
        },
      })
    },
  })
}

function toJob(row: Row): JsonObject {
  const numberOrNull = (value: unknown) => (value === null ? null : Number(value))
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    subject: row.subject,
    title: row.title,
    done: Number(row.done),
    total: numberOrNull(row.total),
    failed: Number(row.failed),
    dryRun: row.dry_run === true,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    application: row.application_name === null ? null : { id: row.application_id, name: row.application_name },
    startedBy: row.started_by === null ? null : { id: row.started_by, name: row.starter_name },
  }
}

/** Jobs as a caller may see them: without operators for who may not read them. */
function projectJobs(data: unknown, { scopes }: Caller): { data: unknown; redacted: readonly string[] } {
  if (mayRead('operators', scopes) || !Array.isArray(data)) return { data, redacted: [] }
  return { data: data.filter(isObject).map(job => ({ ...job, startedBy: null })), redacted: ['operators'] }
}

function jobSchema(types: readonly string[]): JsonSchema {
  const named = (component: string, id: JsonSchema) =>
    objectSchema(component, { id, name: optionalTextSchema('The name; null of one who is gone.', 'Olga') })
  const time = (description: string) => ({ type: ['string', 'null'], format: 'date-time', description })
  return objectSchema('ListedJob', {
    id: uuidSchema,
    type: { component: 'JobType', type: 'string', enum: types, description: 'What it is.' },
    status: textSchema('As the job itself has it.', 'running'),
    subject: textSchema('The kind of records.', 'contact'),
    title: textSchema('The file of an import or export, and what a bulk job does.', 'people.csv'),
    done: countSchema('How many records or rows are done.', 40),
    total: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'How many there are; null as long as nobody knows.',
      example: 100,
    },
    failed: countSchema('How many of them were refused.', 0),
    dryRun: booleanSchema('Whether it only tells what it would do.'),
    createdAt: { type: 'string', format: 'date-time', description: 'When it was asked for.' },
    startedAt: time('When it began; null before.'),
    finishedAt: time('When it ended; null before.'),
    application: { anyOf: [named('JobApplication', optionalUuidSchema), { type: 'null' }] },
    startedBy: { anyOf: [named('JobStarter', uuidSchema), { type: 'null' }], description: 'The user who started it.' },
  })
}
