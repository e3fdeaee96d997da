import type { RecordState, Resource } from '../../record/resource.ts'
import { type Directory, type Field, isObject, type JsonObject, type MergedList, sameJson } from '../../schema/index.ts'

export const sides = ['primary', 'secondary'] as const
export type Side = (typeof sides)[number]
export const outcomes = ['same', 'primary', 'secondary', 'union', 'conflict'] as const
type Outcome = (typeof outcomes)[number]

/** What merging two records makes of one field, or of one member of it. */
export interface MergedPart {
  /** `firstName`, `contactData.phones`, `customFields.region` */
  readonly field: string
  readonly declared: string
  readonly member: string | null
  /** Whether it is there whatever the two records hold. */
  readonly isDeclared: boolean
  /** Whether its values are lists, which are united. */
  readonly isList: boolean
  readonly primaryValue: unknown
  readonly secondaryValue: unknown
  readonly outcome: Outcome
  /** Whether the primary's value becomes another one; of a conflict, whether it can. */
  readonly changes: boolean
  /** The next value; of a conflict the primary's. */
  readonly merged: unknown
  /** Most items that a list of it may have. */
  readonly most: number | null
}

/** Pure: every declared value of two records, side by side, and what becomes of it (contract section 8). */
export function mergedParts(
  resource: Resource,
  primary: RecordState,
  secondary: RecordState,
  directory: Directory,
): MergedPart[] {
  return mergedFields(resource).flatMap(([declared, field]) => {
    const [one, other] = [primary[declared], secondary[declared]]
    const { membersIn, listOf } = field.merge ?? {}
    if (membersIn === undefined) {
      const isList = (listOf?.('') ?? null) !== null
      return [partOf(field, { field: declared, declared, member: null, isDeclared: true, isList }, one, other)]
    }
    const [values, others] = [isObject(one) ? one : {}, isObject(other) ? other : {}]
    const known = new Map(membersIn(directory, resource.kind).map(({ name, isList }) => [name, isList]))
    const names = [...new Set([...known.keys(), ...Object.keys(values), ...Object.keys(others)])]
    return names.map(member => {
      const isList = known.get(member)
      const place = { field: `${declared}.${member}`, declared, member, isDeclared: isList !== undefined }
      return partOf(field, { isList: isList ?? false, ...place }, own(values, member), own(others, member))
    })
  })
}

/** A key of an organization's own field may be called like something that every object has: `constructor`. */
function own(members: JsonObject, member: string): unknown {
  return Object.hasOwn(members, member) ? members[member] : undefined
}

/** Fields that requests can set, and those that say how they are merged; what the server computes follows from them. */
export function mergedFields({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { input, merge }]) => input !== undefined || merge !== undefined)
}

type Place = Pick<MergedPart, 'field' | 'declared' | 'member' | 'isDeclared' | 'isList'>

function partOf(field: Field, place: Place, one: unknown, other: unknown): MergedPart {
  const list = field.merge?.listOf?.(place.member ?? '') ?? null
  const part = { primaryValue: one ?? null, secondaryValue: other ?? null, most: list?.most ?? null, ...place }
  if ((isEmpty(one) && isEmpty(other)) || sameJson(one, other)) {
    return { outcome: 'same', changes: false, merged: one, ...part }
  }
  if (isEmpty(other)) return { outcome: 'primary', changes: false, merged: one, ...part }
  if (isEmpty(one)) return { outcome: 'secondary', changes: true, merged: other, ...part }
  if (list === null || !Array.isArray(one) || !Array.isArray(other)) {
    return { outcome: 'conflict', changes: true, merged: one, ...part }
  }
  const merged = union(one, other, list)
  return { outcome: 'union', changes: !sameJson(merged, one), merged, ...part }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The primary's items in their order, then what only the secondary has; of a set in the order of sets. */
function union(one: readonly unknown[], other: readonly unknown[], { identify, behind, isSet }: MergedList): unknown[] {
  const known = new Set(one.map(identify))
  const further = other.filter(item => !known.has(identify(item)))
  const united = [...one, ...further.map(item => behind?.(item) ?? item)]
  return isSet ? united.toSorted((item, next) => (identify(item) < identify(next) ? -1 : 1)) : united
}

/** The next values of the fields that change; `resolutions` says for each conflict whose value stays. */
export function mergedValues(
  primary: RecordState,
  parts: readonly MergedPart[],
  resolutions: Readonly<Record<string, unknown>>,
): JsonObject {
  const values: JsonObject = {}
  for (const { declared, member, outcome, changes, merged, field, secondaryValue } of parts) {
    const conflicts = outcome === 'conflict'
    if (conflicts ? resolutions[field] !== 'secondary' : !changes) continue
    const value = conflicts ? secondaryValue : merged
    if (member === null) {
      values[declared] = value
      continue
    }
    const before = values[declared] ?? primary[declared]
    values[declared] = { ...(isObject(before) ? before : {}), [member]: value }
  }
  return values
}

/** Whether a resolution can name this: a field, or a member of one. */
export function isMergedField({ fields }: Resource, name: string): boolean {
  const [declared = '', ...rest] = name.split('.')
  const field = Object.hasOwn(fields, declared) ? fields[declared] : undefined
  if (field === undefined || (field.input === undefined && field.merge === undefined)) return false
  const memberPattern = field.merge?.memberPattern
  if (memberPattern === undefined) return rest.length === 0
  return new RegExp(`^(${memberPattern})$`, 'u').test(rest.join('.'))
}
