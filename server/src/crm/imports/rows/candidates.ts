import { bounds, type FoundBy, type FoundRecord, foundIn, type Resource } from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import { MatchIndex } from './match-index.ts'
import { lookupOf } from './match-values.ts'
import type { RowPlan } from './plan-row.ts'

interface LookingRows {
  readonly resource: Resource
  readonly plans: readonly RowPlan[]
  readonly policy: DedupPolicy
  readonly country: string
}

/** What is looked for, by the way it is looked for. */
export function wantedTexts(plans: readonly RowPlan[], { kind }: Resource) {
  const wanted = new Map<FoundBy, string[]>()
  for (const { by, wanted: texts } of plans.flatMap(({ matches }) => matches)) {
    const way = lookupOf(by, kind)
    if (way !== undefined) wanted.set(way, [...(wanted.get(way) ?? []), ...texts])
  }
  return wanted
}

/** The records that the first rows are about, and how many rows those are. */
interface Candidates {
  readonly ids: ReadonlySet<string>
  readonly count: number
}

/** Tells the candidates among what was found, of which there may be thousands: once, because it is asked in each round. */
export function candidatesOf(rows: LookingRows): (work: WorkingSet) => Candidates {
  let known: Candidates | null = null
  return work => {
    if (known !== null) return known
    const found = foundRecords(rows, work)
    const candidates = candidatesAmong(found, rows)
    if (found.size > 0) known = candidates
    return candidates
  }
}

function foundRecords({ resource, plans }: LookingRows, work: WorkingSet): ReadonlyMap<string, FoundRecord> {
  const byId = new Map<string, FoundRecord>()
  for (const way of wantedTexts(plans, resource).keys())
    for (const record of foundIn(resource, way, work)) byId.set(record.id, { ...byId.get(record.id), ...record })
  return byId
}

/**
 * The records that were looked for and have a value of one of the first rows, and how many rows those are: as many as are about few
 * records together, one at least. The indexes find more than that.
 */
function candidatesAmong(found: ReadonlyMap<string, FoundRecord>, { plans, policy, country }: LookingRows): Candidates {
  const index = new MatchIndex(policy.matchBy, country, id => found.get(id) ?? null)
  for (const record of found.values()) index.add(record)
  const ids = new Set<string>()
  for (const [count, { errors, matches }] of plans.entries()) {
    const more = errors.length > 0 ? [] : index.find(matches).filter(id => !ids.has(id))
    if (count > 0 && ids.size + more.length > bounds.importMatches.most) return { ids, count }
    for (const id of more) ids.add(id)
  }
  return { ids, count: plans.length }
}
