import { eventKinds } from '../generated/event-kinds.ts'
import { nearestNames, shortened } from '../rows/field-path.rules.ts'

/** Kinds of events that are not in the feed, but follow from those of a deal. */
const derivedKinds = ['deal.won', 'deal.lost', 'deal.reopened'] as const

export type DerivedKind = (typeof derivedKinds)[number]

/** What the feed can be asked for by type. */
const types = ['contact', 'company', 'deal', 'task', 'bulk_job', 'export', 'import'] as const

export type FeedType = (typeof types)[number]

const typesOfRecords: readonly FeedType[] = ['contact', 'company', 'deal', 'task']

/** The events that are asked for: kinds such as `contact.created`, and `contact.*`. */
export interface Wish {
  readonly kinds: readonly string[]
  /** What the feed is asked for; undefined: everything about records that the token may read. */
  readonly resourceTypes: FeedType[] | undefined
}

/** An event of the feed, as far as it matters here. */
interface KnownEvent {
  readonly kind: string
  readonly resourceType: string
}

/** Whether events of this kind are derived from others. */
export function isDerived(kind: string): kind is DerivedKind {
  return derivedKinds.some(each => each === kind)
}

/**
 * The wish in words such as `contact.*,deal.won`; a sentence if one is unknown. As for webhooks, `*` stands for everything about records, and
 * ends of jobs and derived kinds come only if they are named.
 */
export function wishOf(words: readonly string[]): Wish | string {
  const kinds = words.flatMap(word => word.split(',')).map(word => word.trim())
  const known = ['*', ...types.map(type => `${type}.*`), ...eventKinds]
  const unknown = kinds.find(kind => !known.includes(kind))
  if (unknown !== undefined) {
    const near = nearestNames(unknown, known)
    return `there are no events ${shortened(unknown)}${near.length === 0 ? '' : `: did you mean ${near.join(' or ')}?`}`
  }
  const named = types.filter(type => kinds.some(kind => kind.startsWith(`${type}.`)))
  if (!kinds.includes('*')) return { kinds, resourceTypes: named }
  const everything = typesOfRecords.map(type => `${type}.*`)
  const hasJobs = named.some(type => !typesOfRecords.includes(type))
  return {
    kinds: [...everything, ...kinds.filter(kind => kind !== '*')],
    resourceTypes: hasJobs ? [...new Set([...typesOfRecords, ...named])] : undefined,
  }
}

/** The kinds under which an event is wanted: its own, and then the one that is derived from it. */
export function wantedKinds({ kind, resourceType }: KnownEvent, derived: string | null, { kinds }: Wish): string[] {
  const own = kinds.some(each => each === kind || each === `${resourceType}.*`) ? [kind] : []
  return derived !== null && kinds.includes(derived) ? [...own, derived] : own
}
