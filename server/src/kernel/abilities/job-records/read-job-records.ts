import type { Scope } from '../../auth/index.ts'
import { crmConventions } from '../../conventions.ts'
import { notFound } from '../../errors/index.ts'
import type { QueryParameter } from '../../input/index.ts'
import { defineOperation, type Operation, type Request } from '../../operation.ts'
import { type JsonObject, type JsonSchema, listSchema } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Row } from '../../sql/index.ts'
import { pageMeta } from '../list.ts'
import { readPage } from '../read-page.ts'
import type { JobRecord } from './job-record.ts'

/** How to read records of background work. */
interface ReadableJobs<State> {
  readonly record: JobRecord<State>
  /** The group of its operations: `bulkJobs`. */
  readonly group: string
  /** `/bulk-jobs` */
  readonly path: string
  /** `a`, `bulk job` */
  readonly article: 'a' | 'an'
  readonly name: string
  readonly scope: Scope
  /** The description of a list in the OpenAPI document, and what a client can do with a single record beside reading it. */
  readonly listed: string
  readonly purpose?: string
  readonly schema: JsonSchema
  /** The schema of a single record, if it shows more. */
  readonly detailSchema?: JsonSchema
  /** The query parameter that filters a list, named like its member. */
  readonly filter?: { readonly member: string; readonly parameter: QueryParameter }
  readonly project: Operation['project']
  /** A record in the form of answers, before redaction. */
  show(row: Row, request: Request, services: Services): JsonObject
  /** The additional members of a single record. */
  showDetail?(row: Row): JsonObject
}

/** `GET /<path>`, the newest first, and `GET /<path>/:id`. */
export function readJobRecords<State>(jobs: ReadableJobs<State>): { list: Operation; get: Operation } {
  const { record, group, path, name, schema, filter, project } = jobs
  const scopes = [jobs.scope]
  /** The statements for what a request sees, and their first values. */
  const seen = ({ caller }: Request) => {
    const { organization, keysOf, credential, scopes } = caller
    const owner = record.ofApplication ? [organization.id, keysOf] : [organization.id]
    const isRestricted = record.ofStarter !== null && 'session' in credential && !scopes.has('audit_all')
    return isRestricted
      ? { statements: record.ofStarter ?? record, owner: [...owner, credential.operatorId] }
      : { statements: record, owner }
  }
  /** A user may open what the list of all jobs shows, whatever its application. */
  const oneSeen = (request: Request) => {
    const { statements, owner } = seen(request)
    const { caller } = request
    if (!record.ofApplication || statements !== record || !('session' in caller.credential))
      return { statement: statements.one, values: owner }
    return { statement: record.oneOfOrganization, values: [caller.organization.id] }
  }
  return {
    list: defineOperation({
      id: `${group}.list`,
      method: 'GET',
      path,
      summary: `List the ${name}s of the ${record.ofApplication ? 'application' : 'organization'}`,
      description: jobs.listed,
      scopes,
      query:
        filter === undefined ? crmConventions.pages : { ...crmConventions.pages, [filter.member]: filter.parameter },
      answer: { data: listSchema(schema), meta: pageMeta },
      project,
      execute: (request, services) =>
        readPage<Row>(request, services, {
          show: row => jobs.show(row, request, services),
          positionOf: row => ({ createdAt: row.created_at, id: row.id }),
          async fill(page, { after, most, filters }) {
            const wanted = filter && filters[filter.member]
            const { statements, owner } = seen(request)
            const values: unknown[] = [...owner, most]
            if (after !== null) values.push(after.createdAt, after.id)
            if (wanted !== undefined) values.push(wanted)
            const statement = statements.page(after !== null, wanted !== undefined)
            await services.database.query(statement, values, request.reader, (row, bytes) => page.add(row, bytes))
          },
        }),
    }),
    get: defineOperation({
      id: `${group}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      summary: `Read how far ${jobs.article} ${name} has come${jobs.purpose ?? ''}`,
      scopes,
      refuses: [['not_found', `There is no such ${name}.`]],
      answer: { data: jobs.detailSchema ?? schema },
      project,
      async execute(request, services) {
        const { statement, values } = oneSeen(request)
        const [row] = await services.database.query(statement, [...values, request.path.id], request.reader)
        if (row === undefined) return notFound()
        return { status: 200, data: { ...jobs.show(row, request, services), ...jobs.showDetail?.(row) }, meta: {} }
      },
    }),
  }
}

/** JSON Schema of a time that is null until something has happened. */
export const jobTimeSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
})

/** JSON Schema of the reason why a record has failed. */
export const jobFailureSchema = (component: string, description: string, code: JsonSchema): JsonSchema => ({
  component,
  type: ['object', 'null'],
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'What went wrong, for programs.', ...code },
    message: { type: 'string', description: 'The same for people.' },
  },
  description,
})
