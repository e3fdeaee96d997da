import { Refusal } from '../../errors/index.ts'
import {
  isAnonymized,
  type Kinds,
  type RecordState,
  type Resource,
  represent,
  type WriteContext,
} from '../../record/index.ts'
import { type Configuration, isObject, type JsonObject } from '../../schema/index.ts'
import { stepTo } from '../../write/decide.ts'
import { allKeysOf } from '../../write/load.ts'
import type { Needs } from '../../write/needs.ts'
import { updating } from '../../write/record-change.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { changedLinks, takeBackLink } from './added-links.ts'
import type { AuditedStep, TakenJob } from './audited-steps.ts'
import { LookupsOfSteps } from './lookups-of-steps.ts'
import { formerInput, restorableFields } from './restorable-fields.ts'

/**
 * Why something of a record stays: it was changed since, something refers to it, it was merged, a person was erased together with the former
 * values, the rules of today refuse these, or the server failed.
 */
export const keptReasons = ['changed', 'linked', 'merged', 'erased', 'refused', 'failed'] as const
export type KeptReason = (typeof keptReasons)[number]

/** What became of a step: a step of a record that is gone leaves nothing to do, and nothing to keep. */
interface Outcome {
  readonly done: 'removed' | 'restored' | null
  readonly kept: { readonly reason: KeptReason; readonly fields: readonly string[] } | null
}

export interface TakenStep extends Outcome {
  readonly step: AuditedStep
}

const nothing: Outcome = { done: null, kept: null }
const kept = (reason: KeptReason, fields: readonly string[] = []): Outcome => ({ done: null, kept: { reason, fields } })

/**
 * Takes back steps that a job has made, the latest first (contract section 4). A record that the job created is removed and its keys become
 * free, unless it was changed since or something refers to it. A record that was there before gets its former values back, field by field,
 * and links that the job added are removed; what was changed since stays.
 */
export class StepsToTakeBack {
  readonly #steps: readonly AuditedStep[]
  readonly #kinds: Kinds
  readonly #lookups: LookupsOfSteps
  readonly #created: ReadonlySet<string>

  constructor(steps: readonly AuditedStep[], job: TakenJob, kinds: Kinds) {
    this.#steps = steps
    this.#kinds = kinds
    this.#lookups = new LookupsOfSteps(steps, job, kinds, step => this.#resourceOf(step))
    this.#created = new Set(steps.flatMap(({ isCreation, recordId }) => (isCreation ? recordId : [])))
  }

  /** States the needs, as `Mutation.needs` does. */
  needs(needs: Needs, work: WorkingSet, configuration: Configuration): void {
    if (this.#steps.length === 0) return
    for (const step of this.#steps) {
      const resource = this.#resourceOf(step)
      const { recordId: id } = step
      needs.toChange(resource, { id })
      if (step.isCreation) needs.toLoad(allKeysOf(id))
      else updating(resource, id, formerInput(resource, step), this.#kinds).needs(needs, work, configuration)
    }
    const { histories, holders, links } = this.#lookups
    needs.toLoad(histories, ...holders.values())
    for (const [kind, { ids }] of links) {
      needs.toLoad(ids)
      for (const id of work.read(ids)) if (id !== null) needs.toLoadNested(kind, id)
    }
  }

  /** Pure: decides the steps in their order. Each sees the results of those before it. */
  *decide(work: WorkingSet, write: WriteContext): Generator<unknown, readonly TakenStep[]> {
    const taken: TakenStep[] = []
    for (const step of this.#steps) {
      taken.push({ step, ...this.#take(step, work, write) })
      yield
    }
    return taken
  }

  #take(step: AuditedStep, work: WorkingSet, write: WriteContext): Outcome {
    const resource = this.#resourceOf(step)
    const history = work.read(this.#lookups.histories).get(step.recordId)
    if (history === undefined) throw new Error(`the history of ${step.kind} ${step.recordId} was not loaded`)
    if (history.isMerged) return kept('merged')
    const record = work.record(resource.kind, step.recordId)
    if (record === null) return nothing
    if (isAnonymized(resource, record)) return kept('erased')
    if (step.isCreation) {
      if (history.isChanged) return kept('changed')
      if (this.#lookups.isHeld(resource, record.id, work)) return kept('linked')
      work.apply({ resource, before: record, after: null, freesKeys: true })
      return { done: 'removed', kept: null }
    }
    const links = this.#takeLinks(resource, step, work, write)
    // The values of a record that the job created go or stay with it.
    const fields = history.isCreated ? nothing : this.#restore(resource, step, work, write)
    const unknown = step.changes.flatMap(({ field, redacted }) => (redacted === true ? String(field) : []))
    const outcome = joined([...links, fields, unknown.length === 0 ? nothing : kept('erased', unknown)])
    return history.isCreated ? { ...outcome, done: null } : outcome
  }

  #restore(resource: Resource, step: AuditedStep, work: WorkingSet, write: WriteContext): Outcome {
    const before = work.record(resource.kind, step.recordId)
    if (before === null) return nothing
    const shown = represent(resource, before, write)
    const { input, lists, changed } = restorableFields(resource, before, shown, step)
    const next = this.#withFormer(resource, before, input, work, write)
    if (next === null) return kept('refused', [...Object.keys(input), ...changed])
    const listed = { ...next, ...Object.fromEntries(lists) }
    const allowed = lists.size === 0 ? listed : (resource.rules.relinked?.(listed) ?? listed)
    if (allowed instanceof Refusal) return kept('refused', [...lists.keys(), ...changed])
    const { effect } = stepTo(resource, before, allowed, write)
    if (effect !== null) work.apply(effect)
    const left = changed.length === 0 ? null : { reason: 'changed' as const, fields: changed }
    return { done: effect === null ? null : 'restored', kept: left }
  }

  /** The record with its former values; null if the rules refuse them. */
  #withFormer(
    resource: Resource,
    before: RecordState,
    input: JsonObject,
    work: WorkingSet,
    write: WriteContext,
  ): RecordState | null {
    if (Object.keys(input).length === 0) return before
    const { value, issues } = resource.input.patch.parse({ ...input, expectedVersion: before.version })
    if (issues.length > 0 || !isObject(value)) return null
    const step = updating(resource, before.id, value, this.#kinds).decide('', work, write)
    return step instanceof Refusal ? null : step.record
  }

  #takeLinks(resource: Resource, step: AuditedStep, work: WorkingSet, write: WriteContext): Outcome[] {
    return changedLinks(resource, this.#kinds, step).map(changed => {
      const owner = work.record(resource.kind, step.recordId)
      const link = this.#lookups.linkNow(changed, work)
      if (owner === null || link === null) return nothing
      const erases = changed.target.personal && this.#created.has(changed.targetId)
      const outcome = takeBackLink(changed, { link, owner, erases }, work, write)
      if (outcome === 'changed') return kept('changed', [changed.links.parent.part])
      return outcome === 'restored' ? { done: outcome, kept: null } : nothing
    })
  }

  #resourceOf({ kind }: AuditedStep): Resource {
    const resource = this.#kinds.resources.find(each => each.kind === kind)
    if (resource === undefined) throw new Error(`there are no ${kind} records any more`)
    return resource
  }
}

/** The outcome of a step from those of its parts. */
function joined(outcomes: readonly Outcome[]): Outcome {
  const left = outcomes.flatMap(each => each.kept ?? [])
  const [first] = left
  const fields = [...new Set(left.flatMap(each => each.fields))]
  return {
    done: outcomes.some(({ done }) => done !== null) ? 'restored' : null,
    kept: first === undefined ? null : { reason: first.reason, fields },
  }
}
