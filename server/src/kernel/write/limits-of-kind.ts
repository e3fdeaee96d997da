import { type Refusal, refuse, unprocessable } from '../errors/index.ts'
import { columnOf } from '../record/codec.ts'
import { Lookup } from '../record/lookup.ts'
import type { Resource } from '../record/resource.ts'
import type { JsonObject } from '../schema/index.ts'
import { claimedStatement, type Row, type Statement } from '../sql/index.ts'
import type { Needs } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/** Needs the number of records of a kind with a limit. Writes that add one wait for each other. */
export function needRoom(needs: Needs, resource: Resource): void {
  if (resource.most === null) return
  needs.toAdd(resource)
  needs.toLoad(countOf(resource))
}

/** 422 if the organization already has as many records of the kind as it may. */
export function refuseOneMore(resource: Resource, base: string, work: WorkingSet): Refusal | null {
  const { most } = resource
  if (most === null) return null
  if (work.read(countOf(resource)) < most) return null
  const message = `An organization can have ${most} at most`
  return unprocessable([{ path: base, rule: 'max_items', message }], { limit: most })
}

/** Needs the record that already has the value of the unique field. */
export function needTakenValue(needs: Needs, resource: Resource, input: JsonObject): void {
  const { uniqueField } = resource
  if (uniqueField === null || input[uniqueField] === undefined) return
  needs.toLoad(holderOf(resource, uniqueField, input[uniqueField]))
}

/** 409 if another record has the value of the unique field. If two requests race, the unique index refuses the second. */
export function refuseTakenValue(
  resource: Resource,
  input: JsonObject,
  ownId: string | null,
  work: WorkingSet,
): Refusal | null {
  const { uniqueField } = resource
  if (uniqueField === null || input[uniqueField] === undefined) return null
  const holder = work.read(holderOf(resource, uniqueField, input[uniqueField]))
  if (holder === null || holder.id === ownId) return null
  return refuse('already_exists', { path: `/${uniqueField}`, existingId: holder.id })
}

const compiled = new Map<string, Statement>()

/** How many records of the kind the organization has. */
function countOf({ kind, table }: Resource): Lookup<number> {
  const select = remembered(
    `count_of_${kind}`,
    `select count(*)::integer as count from ${table.name} where organization_id = $1`,
  )
  return new Lookup(select, [], ([row]) => Number(row?.count ?? 0))
}

/** The record with this value. */
function holderOf({ kind, table, fields }: Resource, uniqueField: string, value: unknown): Lookup<Row | null> {
  const field = fields[uniqueField]
  if (field === undefined) throw new Error(`${kind} has no field ${uniqueField}`)
  const column = columnOf(uniqueField, field)
  const select = remembered(
    `find_${kind}_by_${column}`,
    `select t.id from ${table.name} t where t.organization_id = $1 and t.${column} = $2`,
  )
  return Lookup.row(select, [value])
}

function remembered(name: string, text: string): Statement {
  const known = compiled.get(name) ?? claimedStatement(name, text)
  compiled.set(name, known)
  return known
}
