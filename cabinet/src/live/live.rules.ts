import { isObject, type Json } from '../records/record.ts'

/** One change of the organization, as the live stream tells it: never a value. */
export interface LiveChange {
  readonly seq: number
  /** The numbers left out since the message before. */
  readonly filtered: number
  readonly resourceType: string
  readonly resourceId: string
  readonly version: number | null
  readonly operation: string
  readonly changedFields: readonly string[]
  /** What kind of actor it was, and which operator, where the reader may know. */
  readonly actorType: string
  readonly actorUserUuid: string | null
  readonly requestId: string | null
}

/** How far the stream has come without a change to tell. */
export interface LivePosition {
  readonly seq: number
  /** The numbers left out since the message before. */
  readonly filtered: number
}

/** What tabs tell each other: a change, a new beginning after which everything visible is old, or how the stream fares. */
export type LiveMessage =
  | { readonly type: 'change'; readonly id: string; readonly change: LiveChange }
  | { readonly type: 'position'; readonly id: string; readonly position: LivePosition }
  | { readonly type: 'reset' }
  | { readonly type: 'state'; readonly state: LiveState }

/** Whether changes arrive at once: not yet or not just now, or not at all, because the server has refused to tell them. */
export type LiveState = 'live' | 'connecting' | 'refused'

/** A change of the stream; undefined for what is none. */
export function changeOf(data: string): LiveChange | undefined {
  const told = parse(data)
  if (!isObject(told)) return undefined
  const { seq, filtered = 0, kind, resourceType, resourceId, version = null, changedFields, actor, requestId } = told
  if (typeof seq !== 'number' || typeof resourceType !== 'string' || typeof resourceId !== 'string') return undefined
  const { type, uuid } = isObject(actor) ? actor : {}
  return {
    seq,
    filtered: typeof filtered === 'number' ? filtered : 0,
    resourceType,
    resourceId,
    version: typeof version === 'number' ? version : null,
    operation: typeof kind === 'string' ? (kind.split('.').at(-1) ?? '') : '',
    changedFields: (Array.isArray(changedFields) ? changedFields : []).filter(field => typeof field === 'string'),
    actorType: typeof type === 'string' ? type : 'system',
    actorUserUuid: typeof uuid === 'string' ? uuid : null,
    requestId: typeof requestId === 'string' ? requestId : null,
  }
}

/** A position of the stream; undefined where the message is none. */
export function positionOf(data: string): LivePosition | undefined {
  const told = parse(data)
  if (!isObject(told) || typeof told.seq !== 'number') return undefined
  return { seq: told.seq, filtered: typeof told.filtered === 'number' ? told.filtered : 0 }
}

/** Whether nothing is missing between a number and the change that came after it. */
export function follows(last: number, { seq, filtered }: LiveChange): boolean {
  return seq === last + filtered + 1
}

/** Whether nothing is missing between a number and a position. */
export function reaches(last: number, { seq, filtered }: LivePosition): boolean {
  return seq === last + filtered
}

function parse(data: string): Json | undefined {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

const [firstPause, longestPause] = [5_000, 300_000]

/** How many milliseconds to wait before a stream that was refused so often in a row is asked for again. */
export function pauseAfterRefusals(refusals: number): number {
  return Math.min(firstPause * 2 ** (refusals - 1), longestPause)
}
