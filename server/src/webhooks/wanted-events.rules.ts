import { isUpdate } from './lane.rules.ts'

/** Which events a webhook asks for. */
export interface Wish {
  /** `contact.created`, all of a kind of record as `contact.*`, or `*`. */
  readonly kinds: readonly string[]
  /** Plain updates of any of these fields; none: of all. What else happens to a record is always wanted. */
  readonly changedFields: readonly string[]
  /** The application whose own changes are left out; null: none. */
  readonly exceptApplication: string | null
}

interface WishedEvent {
  readonly kind: string
  readonly resource_type: string
  readonly changed_fields: readonly string[]
  readonly application_id: string | null
}

/** Whether an event is one of those. */
export function isWanted(event: WishedEvent, { kinds, changedFields, exceptApplication }: Wish): boolean {
  if (exceptApplication !== null && event.application_id === exceptApplication) return false
  const isOfKind = kinds.some(kind => kind === '*' || kind === event.kind || kind === `${event.resource_type}.*`)
  if (!isOfKind) return false
  return (
    changedFields.length === 0 || !isUpdate(event) || event.changed_fields.some(field => changedFields.includes(field))
  )
}

/** The kinds of records, of these, that a webhook can ask for events of. */
export function wantedTypes({ kinds }: Pick<Wish, 'kinds'>, types: readonly string[]): string[] {
  if (kinds.includes('*')) return [...types]
  const asked = new Set(kinds.map(kind => kind.split('.')[0]))
  return types.filter(type => asked.has(type))
}
