import { type Field, isObject, type JsonObject, type MergedList, sameJson } from '../../schema/index.ts'
import type { RecordState, Resource } from '../resource.ts'

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
  readonly primaryValue: unknown
  readonly secondaryValue: unknown
  readonly outcome: Outcome
  /** The next value; of a conflict the primary's. */
  readonly merged: unknown
  /** Where the united list is longer than it may be. */
  readonly tooLong: { readonly count: number; readonly limit: number } | null
}

/** Pure: every declared value of two records, side by side, and what becomes of it (contract section 8). */
export function mergedParts(resource: Resource, primary: RecordState, secondary: RecordState): MergedPart[] {
  return mergedFields(resource).flatMap(([declared, field]) => {
    const [one, other] = [primary[declared], secondary[declared]]
    if (field.merge?.isMember === undefined) return [partOf(field, declared, null, one, other)]
    const [members, others] = [isObject(one) ? one : {}, isObject(other) ? other : {}]
    const names = [...new Set([...Object.keys(members), ...Object.keys(others)])]
    return names.map(member => partOf(field, declared, member, own(members, member), own(others, member)))
  })
}

/** A key of an organization's own field may be called like something that every object has: `constructor`. */
function own(members: JsonObject, member: string): unknown {
  return Object.hasOwn(members, member) ? members[member] : undefined
}

/** Fields that requests can set, and those that say how they are merged; what the server computes follows from them. */
function mergedFields({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { input, merge }]) => input !== undefined || merge !== undefined)
}

function partOf(field: Field, declared: string, member: string | null, one: unknown, other: unknown): MergedPart {
  const name = member === null ? declared : `${declared}.${member}`
  const list = field.merge?.listOf?.(member ?? '') ?? null
  const part = {
    field: name,
    declared,
    member,
    primaryValue: one ?? null,
    secondaryValue: other ?? null,
    tooLong: null,
  }
  if ((isEmpty(one) && isEmpty(other)) || sameJson(one, other)) return { ...part, outcome: 'same', merged: one }
  if (isEmpty(other)) return { ...part, outcome: 'primary', merged: one }
  if (isEmpty(one)) return { ...part, outcome: 'secondary', merged: other }
  if (list === null || !Array.isArray(one) || !Array.isArray(other)) {
    return { ...part, outcome: 'conflict', merged: one }
  }
  const merged = union(one, other, list)
  const tooLong = merged.length > list.most ? { count: merged.length, limit: list.most } : null
  return { ...part, outcome: 'union', merged, tooLong }
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

/** The next values of the fields; `resolutions` says for each conflict whose value stays. */
export function mergedValues(
  primary: RecordState,
  parts: readonly MergedPart[],
  resolutions: Readonly<Record<string, unknown>>,
): JsonObject {
  const values: JsonObject = {}
  for (const { declared, member, outcome, merged, field, secondaryValue } of parts) {
    const value = outcome === 'conflict' && resolutions[field] === 'secondary' ? secondaryValue : merged
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
  const isMember = field.merge?.isMember
  return isMember === undefined ? rest.length === 0 : rest.length === 1 && isMember(rest.join('.'))
}
