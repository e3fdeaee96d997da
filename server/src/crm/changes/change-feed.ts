import {
  bounds,
  type Caller,
  cursorParameter,
  defineOperation,
  isScope,
  isSynchronized,
  type Kinds,
  limitParameter,
  limits,
  type Operation,
  type Refusal,
  type Resource,
  readCursor,
  refuse,
  type Scope,
  wordsParameter,
  writeCursor,
} from '../../kernel/index.ts'
import { changeSchema, projectChanges, toChange } from './change.ts'
import { type ChangeRow, selectChanges, selectPosition } from './feed.sql.ts'
import { answerWithRecords } from './with-records.ts'

const feedPath = '/api/v1/crm/changes'

/** `GET /changes/cursor` and `GET /changes`: the events after a position, without gaps (contract section 11). */
export function changeFeedOperations({ resources: all }: Kinds): Operation[] {
  const resources = all.filter(isSynchronized)
  const kinds = resources.map(resource => resource.kind)
  const resourceTypes = wordsParameter('ResourceType', kinds, 'Kinds of records, all readable ones unless given')
  const common = {
    method: 'GET',
    scopes: [],
    scopesOf: (query: Readonly<Record<string, unknown>>, caller: Caller) => scopesOf(resources, query, caller),
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
        include: wordsParameter('ChangeInclude', ['record'], 'What each event has besides, as it is now'),
      },
      answer: { data: { type: 'array', items: changeSchema(kinds) }, meta: metaSchema },
      refuses: [['cursor_expired', 'Events after the position are kept no more, or the feed has begun anew.']],
      project: projectChanges,
      async execute(request, services) {
        const { caller, query, reader } = request
        const { database, secret, retention } = services
        const position = readCursor(secret, cursorScope(caller), String(query.after))
        if (position === null) return refuse('invalid_cursor')
        const fromSeq = Number(position.seq)
        const epoch = Number(position.epoch ?? firstEpoch)
        const limit = Number(query.limit ?? limits.listDefault)
        const types = Array.isArray(query.resourceTypes) ? query.resourceTypes : readableKinds(resources, caller)
        // Events that the filters exclude cost work too, so a page reads a bounded number of events.
        const lastSeq = fromSeq + bounds.feedScan.most
        const values = [caller.organization.id, caller.keysOf, fromSeq, types, limit, lastSeq]
        const rows = await database.query<ChangeRow>(selectChanges, values, reader)
        const refusal = expired(rows, { fromSeq, epoch }, retention.changes)
        if (refusal !== null) return refusal
        const cursorAt = (seq: number) => writeCursor(secret, cursorScope(caller), { seq, epoch })
        const answer = page(rows, { fromSeq, lastSeq, limit }, cursorAt)
        return query.include === undefined ? answer : answerWithRecords(answer, resources, request, services)
      },
    }),
  ]
}

/** The epoch with which every installation starts, and that of cursors from releases without epochs. */
const firstEpoch = 1

function cursorScope({ organization }: Caller) {
  return { organizationId: organization.id, route: feedPath, filters: {} }
}

/** The read scope of each kind in the query. If the query names no kind, one readable kind is enough. */
function scopesOf(resources: readonly Resource[], query: Readonly<Record<string, unknown>>, caller: Caller): Scope[] {
  const { resourceTypes } = query
  const asked = typeof resourceTypes === 'string' ? resourceTypes.split(',') : null
  if (asked === null && readableKinds(resources, caller).length > 0) return []
  const wanted = resources.filter(({ kind }) => asked === null || asked.includes(kind))
  return wanted.map(({ scopes }) => scopes.read).filter(isScope)
}

function readableKinds(resources: readonly Resource[], { scopes }: Caller): string[] {
  return resources.filter(resource => scopes.has(resource.scopes.read)).map(({ kind }) => kind)
}

/**
 * Refuses with 410 if the next event is no longer kept, or if the position is of another epoch or beyond the head. Such a position belongs
 * to a history that this database does not have, because it was restored from a backup, or is a standby that was promoted while it lagged
 * behind. The feed will reach that number again, with other events than the consumer has seen.
 */
function expired(rows: readonly ChangeRow[], position: Position, retentionSeconds: number): Refusal | null {
  const first = rows[0]
  if (first === undefined) return null
  const { fromSeq, epoch } = position
  const isKept = fromSeq + 1 >= Number(first.oldest) && fromSeq <= Number(first.head)
  if (isKept && epoch === Number(first.epoch)) return null
  return refuse('cursor_expired', {
    oldestSeq: Number(first.oldest),
    oldestAt: first.oldest_at,
    retentionSeconds,
    resync: 'take /changes/cursor first, then list all, then continue from the cursor',
  })
}

interface Position {
  readonly fromSeq: number
  readonly epoch: number
}

interface Asked {
  readonly fromSeq: number
  /** The last event number that this page reads. */
  readonly lastSeq: number
  readonly limit: number
}

function page(rows: readonly ChangeRow[], { fromSeq, lastSeq, limit }: Asked, cursorAt: (seq: number) => string) {
  const events = rows.filter(row => row.seq !== null)
  const head = Number(rows[0]?.head ?? fromSeq)
  // A full page ends at its last event. Any other page covers everything up to the head, or up to the last number that it reads.
  const toSeq = events.length === limit ? Number(events.at(-1)?.seq) : Math.min(head, lastSeq)
  const matched = events.length
  const range = { fromSeq, toSeq, matched, filtered: toSeq - fromSeq - matched }
  const meta = { nextCursor: cursorAt(toSeq), hasMore: toSeq < head, range }
  return { status: 200, data: events.map(toChange), meta }
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
