import {
  bounds,
  type Caller,
  cursorParameter,
  type Declared,
  defineOperation,
  isScope,
  limitParameter,
  type Operation,
  Refusal,
  type Resource,
  readCursor,
  refuse,
  type Scope,
  wordsParameter,
  writeCursor,
} from '../../kernel/index.ts'
import { changeSchema, projectChanges } from './change.ts'
import { selectPosition } from './feed.sql.ts'
import { cursorScope, feedPath, firstEpoch, readFeedPage } from './feed-page.ts'
import { waitForChanges, waitParameter } from './wait-for-changes.ts'
import { answerWithRecords, writeFor } from './with-records.ts'

/** `GET /changes/cursor` and `GET /changes`: the events after a position, without gaps (contract section 11). */
export function changeFeedOperations({ resources: all, jobTypes }: Declared): Operation[] {
  const resources = all.filter(each => each.isSynchronized)
  const kinds = [...resources.map(resource => resource.kind), ...jobTypes.map(({ type }) => type)]
  const resourceTypes = wordsParameter(
    'ChangedType',
    kinds,
    'Kinds of records, all readable ones unless given, and types of jobs, whose ends are shown only if they are given',
  )
  const scopeOf = new Map<string, string>([
    ...resources.map(({ kind, scopes }): [string, string] => [kind, scopes.read]),
    ...jobTypes.map(({ type, scope }): [string, string] => [type, scope]),
  ])
  const common = {
    method: 'GET',
    scopes: [],
    scopesOf({ resourceTypes: asked }: Readonly<Record<string, unknown>>, caller: Caller): Scope[] {
      if (typeof asked !== 'string') return readableKinds(resources, caller).length > 0 ? [] : readScopes(resources)
      return [...scopeOf].flatMap(([type, scope]) => (asked.split(',').includes(type) && isScope(scope) ? [scope] : []))
    },
  } as const
  return [
    defineOperation({
      ...common,
      id: 'changes.cursor',
      path: `${feedPath}/cursor`,
      summary: 'The current position of the change feed',
      description: 'Every change that is committed later comes after this position.',
      query: { resourceTypes },
      answer: { data: positionSchema },
      async execute({ caller, reader }, { database, secret, clock }) {
        const [row] = await database.query(selectPosition, [caller.organization.id], reader)
        const seq = Number(row?.seq ?? 0)
        const epoch = Number(row?.epoch ?? firstEpoch)
        const issuedAt = new Date(clock.now()).toISOString()
        return {
          status: 200,
          data: { cursor: writeCursor(secret, cursorScope(caller), { seq, epoch }), seq, issuedAt },
          meta: {},
        }
      },
    }),
    defineOperation({
      ...common,
      id: 'changes.list',
      path: feedPath,
      summary: 'Changes after a position, oldest first',
      description:
        'seq is consecutive within the organization: matched + filtered = toSeq − fromSeq proves that none is missing. ' +
        `A page looks at ${bounds.feedScan.most} numbers at most, so it can be empty while hasMore is true.`,
      query: {
        after: { ...cursorParameter(), required: true },
        limit: limitParameter(),
        resourceTypes,
        wait: waitParameter,
        include: wordsParameter('ChangeInclude', ['record'], 'What each event has besides, as it is now'),
      },
      answer: { data: { type: 'array', items: changeSchema(kinds) }, meta: metaSchema },
      refuses: [['cursor_expired', 'Events after the position are kept no more, or the feed has begun anew.']],
      project: projectChanges,
      async execute(request, services, waiting) {
        const { caller, query, reader, operation } = request
        const cursor = readCursor(services.secret, cursorScope(caller), String(query.after))
        if (cursor === null) return refuse('invalid_cursor')
        const position = { fromSeq: Number(cursor.seq), epoch: Number(cursor.epoch ?? firstEpoch) }
        const typesFor = (by: Caller) =>
          Array.isArray(query.resourceTypes) ? query.resourceTypes : readableKinds(resources, by)
        const read = (by: Caller) =>
          readFeedPage({ ...position, types: typesFor(by), limit: query.limit }, by, reader, services)
        const first = await read(caller)
        if (first instanceof Refusal) return first
        const asked = { seconds: Number(query.wait), typesFor, read }
        const answered =
          query.wait === undefined
            ? { page: first, caller }
            : await waitForChanges(first, asked, request, services, waiting)
        if (answered instanceof Refusal) return answered
        const { page, caller: present } = answered
        if (query.include !== undefined && page.data.length > 0)
          return answerWithRecords(page, resources, { ...request, caller: present }, services)
        return present === caller ? page : writeFor(present, page, operation.conventions)
      },
    }),
  ]
}

/** The read scopes of all kinds. If a query names no type, one of them is enough. */
function readScopes(resources: readonly Resource[]): Scope[] {
  return resources.map(({ scopes }) => scopes.read).filter(isScope)
}

function readableKinds(resources: readonly Resource[], { scopes }: Caller): string[] {
  return resources.filter(resource => scopes.has(resource.scopes.read)).map(({ kind }) => kind)
}

const positionSchema = {
  title: 'FeedPosition',
  type: 'object',
  required: ['cursor', 'seq', 'issuedAt'],
  properties: {
    cursor: { type: 'string', description: 'The position, as `after` of the feed.' },
    seq: { type: 'integer', description: 'The number of the last change before it.' },
    issuedAt: { type: 'string', format: 'date-time', description: 'When the position was told.' },
  },
}

const integer = { type: 'integer', minimum: 0 }
const metaSchema = {
  title: 'FeedMeta',
  type: 'object',
  required: ['nextCursor', 'hasMore', 'range'],
  properties: {
    nextCursor: { type: 'string', description: 'Never null: the feed has no end.' },
    hasMore: { type: 'boolean', description: 'Whether there are changes behind this page already.' },
    waited: {
      type: 'boolean',
      description:
        'With `wait`: whether the request has waited. false with `Retry-After` says that too many requests of the organization wait ' +
        'already. Absent otherwise.',
      examples: [true],
    },
    range: {
      title: 'FeedRange',
      type: 'object',
      required: ['fromSeq', 'toSeq', 'matched', 'filtered'],
      description: 'What the page covers: matched + filtered = toSeq − fromSeq.',
      properties: {
        fromSeq: { ...integer, description: 'The number of the last change before the page.' },
        toSeq: { ...integer, description: 'The number of the last change that was looked at.' },
        matched: { ...integer, description: 'How many changes the page has.' },
        filtered: { ...integer, description: 'How many were left out, because of `resourceTypes` or scopes.' },
      },
    },
  },
}
