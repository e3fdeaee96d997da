import {
  type Caller,
  cabinetPath,
  cursorParameter,
  type Declared,
  defineOperation,
  isScope,
  type Operation,
  Refusal,
  readCursor,
  refuse,
  writeCursor,
} from '../../../kernel/index.ts'
import { selectPosition } from '../feed.sql.ts'
import { firstEpoch, readFeedPage } from '../feed-page.ts'
import { liveFeed } from './live-feed.ts'

const path = cabinetPath('/live')

/**
 * `GET …/live`: the changes that are committed from now on, or after a position, as server-sent events. It tells of what the caller may
 * read, without values, and how many numbers are left out between two events, so that nothing is missing unnoticed.
 */
export function live({ resources, jobTypes }: Declared): Operation {
  const synchronized = resources.filter(({ isSynchronized }) => isSynchronized)
  const scopeOf = new Map<string, string>([
    ...synchronized.map(({ kind, scopes }): [string, string] => [kind, scopes.read]),
    ...jobTypes.map(({ type, scope }): [string, string] => [type, scope]),
  ])
  const readable = ({ scopes }: Caller) => [...scopeOf].flatMap(([type, scope]) => (scopes.has(scope) ? [type] : []))
  return defineOperation({
    id: 'live.follow',
    method: 'GET',
    path,
    isUnattended: true,
    summary: 'Follow the changes as they are committed',
    description:
      'Begins after `Last-Event-ID` or `after`, otherwise with the next change. Ends when the rights of the user change: connect again.',
    scopes: [],
    scopesOf: (_query, caller) =>
      readable(caller).length > 0 ? [] : synchronized.map(({ scopes }) => scopes.read).filter(isScope),
    query: { after: cursorParameter() },
    streams: 'text/event-stream',
    answer: { data: { type: 'string', description: 'Events `position` and `change`, each with a cursor as its id.' } },
    refuses: [['cursor_expired', 'Events after the position are kept no more, or the feed has begun anew.']],
    async execute(request, services, waiting) {
      const { caller, query, reader } = request
      const { database, secret } = services
      const scope = { entry: caller.entry, organizationId: caller.organization.id, route: path, filters: {} }
      const types = readable(caller)
      const after = waiting.lastEventId ?? query.after
      const known = typeof after === 'string' ? readCursor(secret, scope, after) : null
      if (after !== undefined && known === null) return refuse('invalid_cursor')
      const [newest = {}] =
        known === null ? await database.query(selectPosition, [caller.organization.id], reader) : [known]
      const fromSeq = Number(newest.seq ?? 0)
      const epoch = Number(newest.epoch ?? firstEpoch)
      if (known !== null) {
        const first = await readFeedPage({ types, fromSeq, epoch, limit: 1 }, caller, reader, services)
        if (first instanceof Refusal) return first
      }
      const full = waiting.beginStream(caller.author.uuid ?? caller.keysOf)
      if (full !== null) return full
      const position = { fromSeq, epoch, types, cursorOf: (seq: number) => writeCursor(secret, scope, { seq, epoch }) }
      const chunks = liveFeed(position, caller, services, waiting)
      return { status: 200, stream: { mediaType: 'text/event-stream; charset=utf-8', isLive: true, chunks } }
    },
  })
}
