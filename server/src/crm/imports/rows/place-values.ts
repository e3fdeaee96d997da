import {
  canonicalJson,
  isObject,
  type JsonObject,
  ownMember,
  phoneCountries,
  phoneDigits,
  toE164,
} from '../../../kernel/schema/index.ts'

/** A value and its path in the request for a record. */
export interface PlacedValue {
  readonly key: string
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** What happens to a path that already has a value in the record. */
export type OnConflict = 'overwrite' | 'fill_empty'

/** The members of a request, and the field of each JSON pointer in it. */
export interface PlacedRequest {
  readonly input: JsonObject
  readonly pointers: ReadonlyMap<string, string>
}

/**
 * Builds the request that sets these values on a record. Numbered values such as `phone2` count from the primary one, as exports write
 * them: they change that entry of the list, or are appended when the list is shorter. A phone or address that is elsewhere in the list is
 * not added again; numbers without a country code are compared as those of the country of the record's address, or else of this one. Blank
 * cells have no value and change nothing.
 */
export function placeValues(
  record: JsonObject,
  values: readonly PlacedValue[],
  onConflict: OnConflict,
  country: string,
): PlacedRequest {
  const input: Record<string, unknown> = {}
  const pointers = new Map<string, string>()
  for (const { key, path, value } of addressesFirst(values)) {
    const [root, ...rest] = path
    if (typeof root !== 'string') continue
    const known = input[root] ?? record[root]
    const found: (string | number)[] = []
    const countries = () => phoneCountries(input.contactData ?? record.contactData, country)
    const next = placed(known, rest, value, { onConflict, countries, found })
    pointers.set(`/${[root, ...found].join('/')}`, key)
    if (next !== known) input[root] = next
  }
  return { input: trimmed(input, record, values), pointers }
}

/** Sets addresses first, because their country is needed to compare phone numbers. */
function addressesFirst(values: readonly PlacedValue[]): readonly PlacedValue[] {
  const isAddress = ({ path }: PlacedValue) => path[0] === 'contactData' && path[1] === 'addresses'
  return [...values.filter(isAddress), ...values.filter(value => !isAddress(value))]
}

interface Placing {
  readonly onConflict: OnConflict
  /** The countries of phone numbers without a country code. Only a list with other entries needs them. */
  readonly countries: () => readonly string[]
  /** The resolved path of the value. */
  readonly found: (string | number)[]
}

function placed(known: unknown, path: PlacedValue['path'], value: unknown, placing: Placing): unknown {
  const [step, ...rest] = path
  if (step === undefined) return isFilled(known) && placing.onConflict === 'fill_empty' ? known : value
  if (typeof step === 'string') {
    placing.found.push(step)
    const object = isObject(known) ? known : {}
    const held = ownMember(object, step)
    const next = placed(held, rest, value, placing)
    return next === held ? known : { ...object, [step]: next }
  }
  const list = Array.isArray(known) ? known : []
  const index = slot(list, step)
  placing.found.push(Math.min(index, list.length))
  const isElsewhere = list.some((item, at) => at !== index && sameItem(item, rest, value, placing.countries()))
  if (isElsewhere) return known
  const next = placed(list[index], rest, value, placing)
  if (next === list[index]) return known
  return index < list.length ? list.with(index, next) : [...list, next]
}

/** The index of the entry with this number, when the primary entry is counted first. */
function slot(list: readonly unknown[], number: number): number {
  const primary = list.findIndex(item => isObject(item) && item.isPrimary === true)
  if (primary < 1 || number > primary) return number
  return number === 0 ? primary : number - 1
}

function sameItem(item: unknown, path: PlacedValue['path'], value: unknown, countries: readonly string[]): boolean {
  const [member] = path
  const held = typeof member === 'string' && isObject(item) ? item[member] : item
  // Several addresses may have equal parts.
  if (member !== undefined && member !== 'value') return false
  return comparable(held, countries) === comparable(value, countries)
}

function comparable(value: unknown, countries: readonly string[]): string {
  if (typeof value !== 'string') return canonicalJson(value ?? null)
  const digits = phoneDigits(value)
  if (digits !== null) return toE164(value, countries) ?? digits
  return isWebAddress(value) ? new URL(value).href : value.toLowerCase()
}

/** Paths of web addresses are case-sensitive; their hosts are not. */
function isWebAddress(text: string): boolean {
  return /^https?:/iu.test(text) && URL.canParse(text)
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** For objects that are merged member by member, keeps only the members that the values change. */
function trimmed(input: JsonObject, record: JsonObject, values: readonly PlacedValue[]): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([root, value]) => {
      if (!isObject(value)) return [root, value]
      const touched = new Set(values.filter(({ path }) => path[0] === root).map(({ path }) => path[1]))
      const before = isObject(record[root]) ? record[root] : {}
      const members = Object.entries(value).filter(
        ([name, member]) => touched.has(name) && member !== ownMember(before, name),
      )
      return [root, Object.fromEntries(members)]
    }),
  )
}
