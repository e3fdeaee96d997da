import type { Caller } from '../auth/index.ts'
import { notFound, type Refusal, refuse } from '../errors/index.ts'
import { booleanParameter } from '../input/index.ts'
import { bounds } from '../limits/index.ts'
import type { Answer, Mutation } from '../mutation/index.ts'
import { defineOperation, type Operation } from '../operation.ts'
import type { Kinds, RecordState, Resource } from '../record/index.ts'
import { type JsonSchema, objectSchema } from '../schema/index.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { mutate } from '../write.ts'
import { addressedId, aRecord, deleteScopes, ofRecord, operationGroup } from './ability.ts'
import { holdersOf, needReferrers, type Referrer, referrersOf, refuseBlocked, relink } from './referrers/index.ts'
import { refusalsOfPath } from './refusals.ts'

interface Options {
  /** Whether removing a record in use requires `confirmed=true` (409 `resource_in_use`); otherwise it is removed anyway. */
  readonly asks: boolean
}

/**
 * `DELETE /<kind>/:id` without compare-and-set: removes the record, and removes it from those that use it, in one transaction (contract
 * section 13, "`confirmed`"). 200 with `{ok: true}`.
 */
export function removeUsed(resource: Resource, { asks }: Options): Operation {
  const used = 'It is removed from what uses it.'
  return defineOperation({
    id: `${operationGroup(resource)}.remove`,
    conventions: resource.conventions,
    method: 'DELETE',
    ...ofRecord(resource),
    summary: `Delete ${aRecord(resource)}`,
    description: asks ? `${used} While something uses it that is done with confirmed=true only.` : used,
    scopes: deleteScopes(resource),
    query: asks ? { confirmed: booleanParameter('Whether it is removed although others use it') } : {},
    answer: { data: okSchema },
    refuses: [
      ...refusalsOfPath(resource),
      ...(asks ? ([['resource_in_use', 'Something uses it, and `confirmed=true` is missing.']] as const) : []),
    ],
    execute(request, services) {
      const isConfirmed = !asks || request.query.confirmed === true
      return mutate(
        removing(resource, addressedId(request), isConfirmed ? null : request.caller, services),
        request.actor,
        services,
        answerOk,
      )
    },
  })
}

/** The answer to a removal. */
export const answerOk = (): Answer => ({ status: 200, data: { ok: true } })

/** The caller who has to confirm the removal of a record in use. */
type Asked = Pick<Caller, 'scopes'>

/** The mutation that removes a record. With `asked`, the removal of a record in use is refused (409 `resource_in_use`). */
export function removing(resource: Resource, id: string, asked: Asked | null, kinds: Kinds): Mutation<RecordState> {
  const referrers = referrersOf(resource, kinds.resources, kinds.nestedResources)
  return {
    needs(needs, work) {
      needs.toChange(resource, { id })
      needReferrers(needs, work, referrers, id, null)
    },
    decide(work, write) {
      const before = work.record(resource.kind, id)
      if (before === null) return notFound()
      const refused = asked === null ? null : refuseUsed(referrers, id, work, asked)
      if (refused !== null) return refused
      const replacement = { kind: resource.kind, id, other: null, erases: false }
      const { effects, blockers } = relink(referrers, replacement, work, write)
      const blocked = refuseBlocked(blockers)
      if (blocked !== null) return blocked
      for (const effect of effects) work.apply(effect)
      work.apply({ resource, before, after: null })
      return { result: before }
    },
  }
}

/** The refusal lists the users of the record that the caller may read, and only counts the others. */
function refuseUsed(
  referrers: readonly Referrer[],
  target: string,
  work: WorkingSet,
  { scopes }: Asked,
): Refusal | null {
  const users = referrers.flatMap(referrer =>
    work.read(holdersOf(referrer, target)).flatMap(({ id }) => {
      const { holder } = referrer
      const record = work.record(holder.kind, id)
      return record === null ? [] : [{ isReadable: scopes.has(holder.scopes.read), user: userOf(holder, record) }]
    }),
  )
  if (users.length === 0) return null
  const readable = users.flatMap(({ isReadable, user }) => (isReadable ? [user] : []))
  const hiddenCount = users.length - readable.length
  return refuse('resource_in_use', {
    usedBy: readable.slice(0, bounds.namedUsers.most),
    ...(hiddenCount === 0 ? {} : { hiddenCount }),
    confirm: 'confirmed=true',
  })
}

/** A record as refusals describe it. If its id is that of another record, such as `channelId`, clients know it as that. */
function userOf({ kind, headMembers }: Resource, { id, name }: RecordState) {
  return { type: headMembers.id?.replace(/Id$/u, '') ?? kind, id, name: String(name) }
}

/** JSON Schema of the answer to a removal. */
const okSchema: JsonSchema = objectSchema('Ok', { ok: { type: 'boolean', description: 'Always true.', example: true } })
