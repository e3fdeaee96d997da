import {
  bounds,
  type FoundBy,
  type FoundRecord,
  type Lookup,
  type Resource,
  recordsFound,
} from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import { MatchIndex } from './match-index.ts'
import { lookupOf } from './match-values.ts'
import { type RowPlan, textValue } from './plan-row.ts'

/** Rows that look for the records that they are about. */
export interface LookingRows {
  readonly resource: Resource
  readonly plans: readonly RowPlan[]
  readonly policy: DedupPolicy
  readonly country: string
  /** The application whose keys rows bring. */
  readonly applicationId: string | null
}

/**
 * Looks for the records that rows may be about, each way in one statement. A row that brings a key looks for records without one: it is never
 * about a record with another key, and finds the one with its own by the key.
 */
export function lookupsOf({ resource, plans, applicationId }: LookingRows): readonly Lookup<readonly FoundRecord[]>[] {
  const texts = new Map<FoundBy, { readonly values: string[]; readonly withoutKey: string[] }>()
  for (const plan of plans) {
    const isKeyed = textValue(plan, 'externalId') !== null
    for (const { by, wanted } of plan.matches) {
      const way = lookupOf(by, resource.kind)
      if (way === undefined) continue
      const { values, withoutKey } = texts.get(way) ?? { values: [], withoutKey: [] }
      texts.set(way, { values, withoutKey })
      for (const text of wanted) (isKeyed ? withoutKey : values).push(text)
    }
  }
  return [...texts].map(([way, sought]) => recordsFound(resource, way, { ...sought, applicationId }))
}

/** The records that the first rows of a chunk may be about, and how many rows these are. The others are left to the next chunk. */
interface Candidates {
  readonly ids: ReadonlySet<string>
  readonly count: number
}

/** Gives a function that picks the candidates. It does so once, because it is asked in each round and thousands may be found. */
export function candidatesOf(
  rows: LookingRows,
  lookups: readonly Lookup<readonly FoundRecord[]>[],
): (work: WorkingSet) => Candidates {
  let known: Candidates | null = null
  return work => {
    if (known !== null) return known
    const found = new Map<string, FoundRecord>()
    for (const record of lookups.flatMap(lookup => work.read(lookup)))
      found.set(record.id, { ...found.get(record.id), ...record })
    const candidates = candidatesAmong(found, rows)
    if (found.size > 0) known = candidates
    return candidates
  }
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
