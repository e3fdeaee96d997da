import type { BulkAction, BulkTarget } from '../../declared.ts'
import type { Issue } from '../../errors/index.ts'
import type { BodyDeclaration } from '../../input/index.ts'
import { type RecordState, type Resource, valueScopesOf } from '../../record/index.ts'
import { compileSchema, isDateTime, isObject, type JsonSchema, toUtc } from '../../schema/index.ts'
import { type RecordChange, updating } from '../../write/record-change.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { type Transition, transiting } from '../transition.ts'

/** Lets a bulk job change these fields, by the rules of the PATCH route. */
export function bulkUpdate(resource: Resource, fields: readonly string[]): BulkAction {
  return {
    ...inputOf(resource.input.patch, fields),
    resource,
    name: 'update',
    valueScopes: changes => valueScopesOf(resource.fields, changes),
    changing: (target, changes, kinds) =>
      ofVersion(resource, target, version => updating(resource, target.id, { ...changes, ...version }, kinds)),
  }
}

/** Lets a bulk job make this transition, with these members of its body. */
export function bulkTransition(resource: Resource, transition: Transition, members: readonly string[]): BulkAction {
  return {
    ...inputOf(transition.body, members),
    resource,
    name: transition.verb,
    valueScopes: () => [],
    changing: (target, changes) =>
      ofVersion(resource, target, version => transiting(resource, transition, target.id, { ...changes, ...version })),
  }
}

/** The input of a bulk action, derived from the body of the route that makes the same change to one record. */
function inputOf(body: BodyDeclaration, names: readonly string[]): Pick<BulkAction, 'members' | 'required' | 'check'> {
  const members = membersOf(body, names)
  const required = names.filter(name => Array.isArray(body.schema.required) && body.schema.required.includes(name))
  const properties = Object.fromEntries(names.map(name => [name, {}]))
  const checkNames = compileSchema({
    type: 'object',
    minProperties: 1,
    required,
    properties,
    additionalProperties: false,
  })
  return {
    members,
    required,
    check(changes, path) {
      const wrong = checkNames(changes, path)
      if (wrong.length > 0 || !isObject(changes)) return { value: changes, issues: wrong }
      // The body of the route requires a version. Each target has its own, so any number will do for this check.
      const { value, issues } = body.parse({ ...changes, expectedVersion: 1 })
      return {
        value: tidied(value, members),
        issues: issues.map((issue): Issue => ({ ...issue, path: path + issue.path })),
      }
    },
  }
}

function membersOf({ name: body, schema }: BodyDeclaration, names: readonly string[]): Record<string, JsonSchema> {
  const declared = isObject(schema.properties) ? schema.properties : {}
  const entries = names.map(name => {
    const member = declared[name]
    if (!isObject(member)) throw new Error(`${body} has no ${name} for a bulk job to change`)
    return [name, member] as const
  })
  return Object.fromEntries(entries)
}

/** Only these members, with ids and times in the format of records, because jobs show the requested changes. */
function tidied(value: unknown, members: Readonly<Record<string, JsonSchema>>): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name in members)
  return Object.fromEntries(entries.map(([name, member]) => [name, tidy(member, members[name]?.format)]))
}

function tidy(value: unknown, format: unknown): unknown {
  if (typeof value !== 'string') return value
  if (format === 'uuid') return value.toLowerCase()
  const mayBeTime = format === 'date-time' || format === 'date-or-date-time'
  return mayBeTime && isDateTime(value) ? toUtc(value) : value
}

/** The change of a target. It expects the version that the target names; if there is none, the present version of the record. */
function ofVersion(
  resource: Resource,
  { id, expectedVersion }: BulkTarget,
  change: (version: { readonly expectedVersion?: number }) => RecordChange,
): RecordChange {
  const made = (work: WorkingSet) => change(versionOf(expectedVersion, work.record(resource.kind, id)))
  return {
    resource,
    needs: (needs, work, configuration) => made(work).needs(needs, work, configuration),
    decide: (base, work, write) => made(work).decide(base, work, write),
  }
}

function versionOf(expected: number | null, record: RecordState | null): { readonly expectedVersion?: number } {
  if (expected !== null) return { expectedVersion: expected }
  return record === null ? {} : { expectedVersion: record.version }
}
