import type { Scope } from '../auth/index.ts'
import { wordParameter } from '../input/index.ts'
import { defineOperation, type Operation } from '../operation.ts'
import {
  presentingRead,
  type RecordState,
  type Resource,
  represent,
  selectedColumns,
  toRecord,
} from '../record/index.ts'
import { projectRecords } from '../redact/index.ts'
import { isObject, type JsonSchema } from '../schema/index.ts'
import { type Statement, statement } from '../sql/index.ts'
import { operationGroup, readScopes, recordSchema } from './ability.ts'
import { ListedRecords } from './listed-records.ts'

/** The users of each record of a list, if the request includes them. */
export interface ListedUsers {
  /** The member of the answer. */
  readonly member: string
  readonly schema: JsonSchema
  /** Without this scope the member is omitted. */
  readonly scope: Scope
  /** SQL of its value, where `t` is the row of the record and $1 its organization. */
  readonly select: string
}

interface Options {
  readonly users?: ListedUsers
}

const modes = ['without_links', 'with_links']

/**
 * `GET /<kind>` of a kind with a limited number per organization: 200 with all records in one array, the newest first, without pages
 * (specification, "Channels and AI routes").
 */
export function listAll(resource: Resource, { users }: Options = {}): Operation {
  const { most, kind } = resource
  if (most === null) throw new Error(`${kind} has no limit, which a list without pages needs`)
  const plain = selectAll(resource, `list_all_${kind}`)
  const withUsers = users === undefined ? plain : selectAll(resource, `list_all_${kind}_with_${users.member}`, users)
  return defineOperation({
    id: `${operationGroup(resource)}.list`,
    conventions: resource.conventions,
    method: 'GET',
    path: resource.path,
    summary: `List all ${resource.plural.replaceAll('-', ' ')}`,
    description: `The newest first, all at once: an organization can have ${most}.`,
    scopes: readScopes(resource),
    query: users === undefined ? {} : { mode: wordParameter('LinksMode', modes, 'Whether to tell what uses each') },
    answer: {
      data: { type: 'array', items: users === undefined ? recordSchema(resource) : listedSchema(resource, users) },
    },
    project: (data, caller) => projectRecords(resource, data, caller),
    async execute(request, services) {
      const { caller } = request
      const context = presentingRead(request, services)
      const isTold = request.query.mode === 'with_links' && users !== undefined && caller.scopes.has(users.scope)
      const tells = isTold ? users : undefined
      const page = new ListedRecords<RecordState>(request, services, {
        show: record => ({
          ...represent(resource, record, context),
          ...(tells ? { [tells.member]: record[tells.member] } : {}),
        }),
      })
      const values = [caller.organization.id]
      await services.database.query(tells ? withUsers : plain, values, request.reader, (row, bytes) =>
        page.add(toRecord(row), bytes),
      )
      return page.answer({})
    },
  })
}

function selectAll(resource: Resource, name: string, users?: ListedUsers): Statement {
  const more = users === undefined ? '' : `, ${users.select} as "${users.member}"`
  return statement(
    name,
    `select ${selectedColumns(resource)}${more} from ${resource.table.name} t
      where t.organization_id = $1
      order by t.created_at desc, t.id desc`,
  )
}

/** The record, with its users if the request includes them. */
function listedSchema({ title, output }: Resource, { member, schema }: ListedUsers): JsonSchema {
  const properties = isObject(output.properties) ? output.properties : {}
  return {
    ...output,
    title: `Listed${title}`,
    required: Object.keys(properties),
    properties: { ...properties, [member]: schema },
  }
}
