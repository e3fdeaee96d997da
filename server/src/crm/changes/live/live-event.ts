import type { FeedEvent } from '../../../kernel/feed/index.ts'

/** A change as a live stream tells it: what has changed and who did it, and no value. */
export type LiveChange = Pick<
  FeedEvent,
  'seq' | 'kind' | 'resourceType' | 'resourceId' | 'version' | 'changedFields' | 'requestId'
> & {
  /** How many numbers before it were left out since the last event that was told. */
  readonly filtered: number
  readonly actor: Pick<LiveActor, 'type' | 'applicationId' | 'jobId'> & Partial<Pick<LiveActor, 'uuid'>>
}

/** Who did it. `uuid` is the operator or AI agent. */
interface LiveActor {
  readonly type: string
  readonly uuid: string | null
  readonly applicationId: string | null
  readonly jobId: string | null
}

/** What of an event of the feed is told; the rest depends on the application. */
export type ToldEvent = Pick<
  FeedEvent,
  | 'seq'
  | 'kind'
  | 'resourceType'
  | 'resourceId'
  | 'version'
  | 'changedFields'
  | 'requestId'
  | 'actorType'
  | 'actorUuid'
  | 'applicationId'
  | 'jobId'
>

/** The change of an event behind the number `told`. Operators are named for those who may read them. */
export function toLiveChange(event: ToldEvent, told: number, namesOperators: boolean): LiveChange {
  const { seq, kind, resourceType, resourceId, version, changedFields, requestId } = event
  const { actorType: type, actorUuid: uuid, applicationId, jobId } = event
  const actor = namesOperators ? { type, uuid, applicationId, jobId } : { type, applicationId, jobId }
  return { seq, filtered: seq - told - 1, kind, resourceType, resourceId, version, changedFields, actor, requestId }
}

/** A server-sent event (HTML Standard, "Server-sent events"). JSON has no line break. */
export function serverSentEvent(event: string, id: string, data: object): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

/** What a client ignores, so that neither side takes the connection for lost. */
export const serverSentComment = ':\n\n'
