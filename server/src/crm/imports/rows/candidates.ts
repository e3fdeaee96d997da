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

/** The texts that rows look for, by the way in which the kernel looks for them. */
export function wantedTexts(plans: readonly RowPlan[], { kind }: Resource) {
  const wanted = new Map<FoundBy, string[]>()
  for (const { by, wanted: texts } of plans.flatMap(({ matches }) => matches)) {
    const way = lookupOf(by, kind)
    if (way !== undefined) wanted.set(way, [...(wanted.get(way) ?? []), ...texts])
  }
  return wanted
}

/** The records that the first rows of a chunk may be about, and how many rows these are. The others are left to the next chunk. */
interface Candidates {
  readonly ids: ReadonlySet<string>
  readonly count: number
}

/** Gives a function that picks the candidates. It does so once, because it is asked in each round and thousands may be found. */
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
 * Compares what the indexes found with the values of the rows, because indexes find more than equal values. Takes as many rows as are
 * about `importMatches` records together, at least one.
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
