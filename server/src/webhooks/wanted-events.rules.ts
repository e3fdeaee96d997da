import { isUpdate } from './parked-events.rules.ts'

/** Which events a webhook asks for. */
export interface Wish {
  /** `contact.created`, or all of a kind of records or type of jobs as `contact.*`. */
  readonly kinds: readonly string[]
  /** Plain updates of any of these fields; none: of all. What else happens to a record is always wanted. */
  readonly changedFields: readonly string[]
  /** The application whose own changes are left out; null: none. */
  readonly exceptApplication: string | null
}

interface WishedEvent {
  readonly kind: string
  readonly resourceType: string
  readonly changedFields: readonly string[]
  readonly applicationId: string | null
}

/**
 * The messages that a webhook wants about an event, in this order: its own kind, and one that is `derived` from it. A derived kind is wanted
 * only by its name: all of a kind of records are those in the feed.
 */
export function wantedKinds(event: WishedEvent, derived: string | undefined, wish: Wish): string[] {
  if (wish.exceptApplication !== null && event.applicationId === wish.exceptApplication) return []
  const own = isWanted(event, wish) ? [event.kind] : []
  return derived !== undefined && wish.kinds.includes(derived) ? [...own, derived] : own
}

function isWanted(event: WishedEvent, { kinds, changedFields }: Wish): boolean {
  const isOfKind = kinds.some(kind => kind === event.kind || kind === `${event.resourceType}.*`)
  if (!isOfKind) return false
  const isAnyUpdate = changedFields.length === 0 || !isUpdate({ kinds: [event.kind] })
  return isAnyUpdate || event.changedFields.some(field => changedFields.includes(field))
}

/** Kinds in which `*` is written out: everything about records. As in the feed, ends of jobs are told only if they are named. */
export function withoutStar(kinds: readonly string[], kindsOfRecords: readonly string[]): string[] {
  return kinds.flatMap(kind => (kind === '*' ? kindsOfRecords.map(each => `${each}.*`) : kind))
}

/** What events of these kinds are about. */
export function wantedTypes({ kinds }: Pick<Wish, 'kinds'>): Set<string> {
  return new Set(kinds.map(kind => kind.split('.')[0] ?? ''))
}
