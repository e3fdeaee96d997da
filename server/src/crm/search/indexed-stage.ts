import { bounds, type Resource, visibleIn } from '../../kernel/index.ts'
import type { Asked } from './frequency.ts'
import {
  candidates,
  newestRecords,
  type SearchedKind,
  type Stage,
  searchedColumns,
  stageOf,
} from './statement-parts.ts'

/** Records of a kind that are looked for: those under conditions on `t`, with their rank. */
export interface Wanted {
  readonly resource: Resource
  readonly rank: string
  readonly asked: Asked
  /** Scalars. Unless all of them hold, nothing is looked for. */
  readonly gates: readonly string[]
  /** Whether no index is asked: these are looked for among the newest records alone. */
  readonly isRecent?: boolean
}

/** Where candidates come from: what indexes find in all records; or, for some parts of stages by name, the newest records. */
export type Source = 'indexes' | readonly string[]

/** The kinds that a stage looks for in this source. Only for these it may bind values, because each that is bound has to be used. */
export function kindsIn(source: Source, stage: string, kinds: readonly SearchedKind[]): readonly SearchedKind[] {
  return source === 'indexes' ? kinds : kinds.filter(({ resource }) => source.includes(partOf(stage, resource)))
}

const partOf = (stage: string, { kind }: Resource) => `${stage}_${kind}`

/**
 * A stage of candidates. An index gives records in the order of the table, and of a frequent word as many as there are. So no
 * more are read and taken than `searchRead` and `searchTaken` say, and the newest of these are the candidates. What seems to be frequent
 * is looked for among the newest records first, and in an index only where these do not have all candidates.
 */
export function indexedStage(name: string, wanted: readonly Wanted[], source: Source): Stage {
  if (source !== 'indexes') return stageOf(name, wanted.map(amongNewest))
  const parts = wanted.map(each => found(partOf(name, each.resource), each))
  const stage = stageOf(
    name,
    parts.flatMap(({ selects }) => selects),
  )
  const overflows = parts.filter(({ isLooked }) => isLooked).map(({ overflow }) => overflow)
  return {
    ...stage,
    text: [...parts.map(({ text }) => text), stage.text].join(',\n'),
    cut: [stage.cut, ...overflows].join(' or '),
    crowded: parts
      .filter(({ isLooked }) => !isLooked)
      .map(({ part, overflow }) => `case when ${overflow} then '${part}' end`),
  }
}

interface Part {
  readonly part: string
  readonly text: string
  readonly selects: readonly string[]
  /** A scalar: whether an index finds more than is read or taken. */
  readonly overflow: string
  /** Whether the newest records are looked through already. */
  readonly isLooked: boolean
}

function found(part: string, wanted: Wanted): Part {
  const { resource, asked, gates } = wanted
  const isMore = (of: string, most: number) => `exists (select from ${of} offset ${most})`
  // A part that is full is not read to its end to see whether it could be read further.
  const overflow =
    asked.checked.length === 0
      ? isMore(part, bounds.searchTaken.most)
      : `(${isMore(part, bounds.searchTaken.most)} or ${isMore(`read_${part}`, bounds.searchRead.most)})`
  if (!asked.isFrequent && wanted.isRecent !== true) {
    const selects = [candidates(resource, 't.rank', ['true'], takenFrom(part, bounds.searchTaken.most))]
    return { part, text: fromIndex(part, wanted, gates), selects, overflow, isLooked: false }
  }
  const newest = `newest_${part}`
  if (wanted.isRecent === true) {
    const text = `${newest} as materialized ${amongNewest(wanted)}`
    return { part, text, selects: [`select * from ${newest}`], overflow: isOlder(resource), isLooked: true }
  }
  const isNotEnough = `(select count(*) from ${newest}) <= ${bounds.searchCandidates.most}`
  const isOther = `not exists (select from ${newest} n where n.id = t.id)`
  // Most organizations have no others than the newest: there an index lists few, and all of them are taken.
  const older = `older_${part}`
  const hasOlder = `(select o.has from ${older} o)`
  const most = `(select case when o.has then ${bounds.searchTaken.most} else ${bounds.searchScan.most} end from ${older} o)`
  return {
    part,
    text: `${older} as materialized (select ${isOlder(resource)} as has),
${newest} as materialized ${amongNewest({ ...wanted, gates: [...gates, hasOlder] })},
${fromIndex(part, wanted, [...gates, isNotEnough])}`,
    selects: [`select * from ${newest}`, candidates(resource, 't.rank', [isOther], takenFrom(part, most))],
    overflow,
    isLooked: true,
  }
}

const takenFrom = (part: string, most: string | number) => `(select f.* from ${part} f limit ${most})`

/** Whether the organization has other records of the kind than the newest. */
function isOlder(resource: Resource): string {
  const ids = `select t.id from ${resource.table.name} t where ${visibleIn(resource).join(' and ')}`
  return `exists (${ids} order by t.created_at desc, t.id desc offset ${bounds.searchScan.most} limit 1)`
}

// What is materialized is planned as if all of it were read, and read no further than the limit behind it. With the limit
// inside PostgreSQL would walk through all records of the organization, wherever it takes what is rare for frequent.
function fromIndex(
  part: string,
  { resource, rank, asked: { lead, checked } }: Wanted,
  gates: readonly string[],
): string {
  const conditions = [...visibleIn(resource), ...lead, ...gates].join('\n       and ')
  const ranked = `t.id, t.created_at, t.updated_at, ${rank} as rank`
  if (checked.length === 0)
    return `${part} as materialized (
    select ${ranked} from ${resource.table.name} t
     where ${conditions})`
  return `read_${part} as materialized (
    select ${searchedColumns} from ${resource.table.name} t
     where ${conditions}),
${part} as materialized (
    select ${ranked} from (select r.* from read_${part} r limit ${bounds.searchRead.most}) as t
     where ${checked.join('\n       and ')})`
}

// Where an index found so many, its gates were open.
function amongNewest({ resource, rank, asked: { lead, checked, isFrequent }, gates }: Wanted): string {
  const newest = newestRecords(resource, isFrequent ? gates : [])
  return candidates(resource, rank, [...lead, ...checked], `(${newest})`)
}
