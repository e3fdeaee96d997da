import type { RecordState, Resource } from '../../record/index.ts'
import {
  type Configuration,
  type Field,
  isObject,
  type JsonObject,
  type MergedList,
  ownMember,
  sameJson,
} from '../../schema/index.ts'

export const sides = ['primary', 'secondary'] as const
export type Side = (typeof sides)[number]
export const fieldOutcomes = ['same', 'primary', 'secondary', 'union', 'conflict'] as const
type FieldOutcome = (typeof fieldOutcomes)[number]

/** The result of a merge for one field, or for one member of it. */
export interface MergedPart {
  /** Its name in previews: `firstName`, `contactData.phones`, `customFields.region`. */
  readonly field: string
  readonly declared: string
  readonly member: string | null
  /** Whether the preview lists it even if it is empty in both records. */
  readonly isDeclared: boolean
  /** Whether its values are lists, which are united. */
  readonly isList: boolean
  readonly primaryValue: unknown
  readonly secondaryValue: unknown
  readonly outcome: FieldOutcome
  /** Whether the primary's value changes; for a conflict, whether it can change. */
  readonly changes: boolean
  /** The next value; for a conflict the primary's value. */
  readonly merged: unknown
  /** The largest size of the list; null for other values. */
  readonly most: number | null
}

/** Pure: compares every declared value of two records, and returns the result for each (contract section 8). */
export function mergedParts(
  resource: Resource,
  primary: RecordState,
  secondary: RecordState,
  configuration: Configuration,
): MergedPart[] {
  return mergedFields(resource).flatMap(([declared, field]) => {
    const [one, other] = [primary[declared], secondary[declared]]
    const { membersIn, listOf } = field.merge ?? {}
    if (membersIn === undefined) {
      const isList = (listOf?.('') ?? null) !== null
      return [partOf(field, { field: declared, declared, member: null, isDeclared: true, isList }, one, other)]
    }
    const [values, others] = [isObject(one) ? one : {}, isObject(other) ? other : {}]
    const known = new Map(membersIn(configuration, resource.kind).map(({ name, isList }) => [name, isList]))
    const names = [...new Set([...known.keys(), ...Object.keys(values), ...Object.keys(others)])]
    return names.map(member => {
      const isList = known.get(member)
      const place = { field: `${declared}.${member}`, declared, member, isDeclared: isList !== undefined }
      return partOf(field, { isList: isList ?? false, ...place }, ownMember(values, member), ownMember(others, member))
    })
  })
}

/**
 * The fields that a merge compares: those that requests can set, and those that declare how they are merged. Other fields are computed
 * from them.
 */
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

/** The primary's items in their order, then the items that only the secondary has. A set is sorted. */
function union(one: readonly unknown[], other: readonly unknown[], { identify, behind, isSet }: MergedList): unknown[] {
  const known = new Set(one.map(identify))
  const added = other.filter(item => !known.has(identify(item)))
  const united = [...one, ...added.map(item => behind?.(item) ?? item)]
  return isSet ? united.toSorted((item, next) => (identify(item) < identify(next) ? -1 : 1)) : united
}

/** The next values of the fields that change. `resolutions` names the chosen side of each conflict. */
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

/** Whether this can be the name of a resolution: a field, or a member of one. */
export function isMergedField({ fields }: Resource, name: string): boolean {
  const [declared = '', ...rest] = name.split('.')
  const field = Object.hasOwn(fields, declared) ? fields[declared] : undefined
  if (field === undefined || (field.input === undefined && field.merge === undefined)) return false
  const memberPattern = field.merge?.memberPattern
  if (memberPattern === undefined) return rest.length === 0
  return new RegExp(`^(${memberPattern})$`, 'u').test(rest.join('.'))
}
