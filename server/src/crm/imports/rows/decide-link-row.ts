import {
  type AddableLinks,
  addingLink,
  isLinked,
  type Kinds,
  type RecordChange,
  type Resource,
  type WriteContext,
} from '../../../kernel/index.ts'
import { isObject, type JsonObject, type Reference, Refusal } from '../../../kernel/schema/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import type { LinkRows } from '../fields/entity-types.ts'
import type { RowError } from './row-error.ts'
import {
  cellsAt,
  errorsOfIssues,
  errorsOfRefusal,
  failed,
  type RowCells,
  type RowOutcome,
  type RowRules,
  withoutCells,
} from './row-outcome.ts'
import { type RowPlan, textValue } from './row-plan.ts'

export interface LinkRowsOfChunk {
  readonly rows: LinkRows
  readonly plans: readonly RowPlan[]
  readonly policy: DedupPolicy
  readonly kinds: Kinds
  /** The owners whose primary link a row has set. It starts with those of earlier chunks; rows of this chunk add theirs. */
  readonly primaries: Set<string>
}

interface LinkRow {
  readonly owner: Reference
  readonly target: Reference
  readonly change: RecordChange
}

/** The field of each side of a link, by its JSON pointer in the change of a row. */
const pointers = (owner: string, target: string) =>
  new Map([
    ['/owner', owner],
    ['/target', target],
  ])

/** The rules for rows that each add a link to a record. They never remove one. */
export function linkRowRules(chunk: LinkRowsOfChunk): RowRules {
  const { owner, targetKind } = chunk.rows.links
  const target = chunk.kinds.resources.find(({ kind }) => kind === targetKind)
  if (target === undefined) throw new Error(`there is no kind ${targetKind}`)
  const planned = chunk.plans.map(plan => {
    const { said, errors, leftOut } = saidBy(plan, chunk.rows.links)
    return { plan, errors, leftOut, row: errors.length > 0 ? null : linkRow(plan, said, chunk, owner, target) }
  })
  return {
    needs(needs, work, configuration) {
      for (const { row } of planned) row?.change.needs(needs, work, configuration)
    },
    *decideInSteps(work, write, most) {
      const outcomes: RowOutcome[] = []
      for (const { plan, errors, leftOut, row } of planned.slice(0, most)) {
        if (errors.length > 0) outcomes.push(failed(errors, leftOut))
        else if (row === null) outcomes.push(failed([unnamed(plan, owner, target)], leftOut))
        else {
          const outcome = decideLink(plan, row, leftOut, chunk, work, write)
          outcomes.push({ cells: sidesOf(row, owner, target, work), ...withoutCells(outcome, leftOut) })
        }
        yield
      }
      return outcomes
    },
  }
}

/** Validates the link of a row by the rules for a request, and collects all errors of the row so far, and all cells to leave out. */
function saidBy(plan: RowPlan, { links }: AddableLinks): Pick<RowPlan, 'errors' | 'leftOut'> & { said: JsonObject } {
  const { errors, leftOut } = plan
  const role = textValue(plan, 'role')
  if (role === null || !('parent' in links)) return { said: {}, errors, leftOut }
  // A request must name the version of the link. A row has none, so any number passes the check.
  const { value, issues } = links.input.patch.parse({ role, expectedVersion: 1 })
  const cells = cellsAt(issues, plan, new Map([['/role', 'role']]))
  if (cells.length > 0) return { said: {}, errors, leftOut: [...leftOut, ...cells] }
  const said = isObject(value) ? { role: value.role } : {}
  return { said, errors: [...errors, ...errorsOfIssues(issues, plan, new Map())], leftOut }
}

/** The change that a row makes; null if it does not name both sides. */
function linkRow(
  plan: RowPlan,
  said: JsonObject,
  { rows, policy }: LinkRowsOfChunk,
  owner: Resource,
  target: Resource,
): LinkRow | null {
  const [one, other] = [referenceTo(plan, owner.kind), referenceTo(plan, target.kind)]
  if (one === null || other === null) return null
  const link = {
    owner: one,
    target: other,
    isPrimary: plan.values.get('isPrimary') === true,
    said,
    keepsSaid: policy.onConflict === 'fill_empty',
  }
  return { owner: one, target: other, change: addingLink(rows.links, target, link) }
}

function unnamed(plan: RowPlan, owner: Resource, target: Resource): RowError {
  const side = referenceTo(plan, owner.kind) === null ? owner : target
  return plan.fail({ code: 'required', message: `The row names no ${side.kind}` }, `${side.kind}Uuid`)
}

function sidesOf(row: LinkRow, owner: Resource, target: Resource, work: WorkingSet): RowCells {
  const idOf = (kind: string, reference: Reference) => {
    const id = work.resolve(kind, reference)
    return typeof id === 'string' ? id : null
  }
  return [idOf(owner.kind, row.owner), idOf(target.kind, row.target)]
}

function referenceTo(plan: RowPlan, kind: string): Reference | null {
  const id = textValue(plan, `${kind}Uuid`)
  if (id !== null) return { id }
  const externalId = textValue(plan, `${kind}ExternalId`)
  return externalId === null ? null : { externalId }
}

function decideLink(
  plan: RowPlan,
  { owner, target, change }: LinkRow,
  leftOut: readonly RowError[],
  { rows, policy, primaries }: LinkRowsOfChunk,
  work: WorkingSet,
  write: WriteContext,
): RowOutcome {
  const { links } = rows
  const ownerId = work.resolve(links.owner.kind, owner)
  const targetId = work.resolve(links.targetKind, target)
  const isHeld = typeof ownerId === 'string' && typeof targetId === 'string' && isLinked(links, ownerId, targetId, work)
  if (isHeld && policy.strategy === 'skip_existing') return { result: 'skipped' }
  if (isHeld && policy.strategy === 'create_only')
    return failed([plan.fail({ code: 'already_exists', message: 'There is such a link already' })], leftOut)
  const isPrimary = plan.values.get('isPrimary') === true
  if (isPrimary && typeof ownerId === 'string' && primaries.has(ownerId)) {
    const message = `An earlier row names the primary ${links.targetKind} of this ${links.owner.kind}`
    return failed([plan.fail({ code: 'duplicate_in_file', message }, 'isPrimary')], leftOut)
  }
  const step = change.decide('', work, write)
  if (step instanceof Refusal) {
    const named = pointers(nameOf(plan, links.owner.kind), nameOf(plan, links.targetKind))
    return failed(errorsOfRefusal(step, plan, named), leftOut)
  }
  if (!isHeld && policy.strategy === 'update_only') return { result: 'skipped' }
  if (isPrimary && typeof ownerId === 'string') primaries.add(ownerId)
  if (step.effect === null) return { result: 'unchanged' }
  work.apply(step.effect)
  return { result: isHeld ? 'updated' : 'created' }
}

function nameOf({ values }: RowPlan, kind: string): string {
  return values.has(`${kind}Uuid`) ? `${kind}Uuid` : `${kind}ExternalId`
}
