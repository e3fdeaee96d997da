import { bounds, type Resource, visibleIn } from '../../kernel/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'
import type { SearchPlan } from './frequency.ts'
import {
  candidates,
  newestRecords,
  type Ranked,
  type SearchedKind,
  type SearchStage,
  searchedColumns,
  stageOf,
} from './statement-parts.ts'

/** What a stage looks for in one kind: conditions on its records `t`, and SQL of the rank that they get. */
export interface Wanted {
  readonly kind: Ranked
  readonly rank: string
  readonly asked: SearchPlan
  /** SQL that is about no single record. Unless all of it is true, nothing is looked for. */
  readonly gates: readonly string[]
  /** Whether no index is asked: these are looked for among the newest records alone. */
  readonly isRecent?: boolean
}

/** Where candidates come from: `indexes` over all records; or the newest records, for the parts of stages with these names. */
export type Source = 'indexes' | readonly string[]

/** The kinds that a stage looks for in this source. Values are bound for these alone, because a statement uses all its values. */
export function kindsIn(source: Source, stage: string, kinds: readonly SearchedKind[]): readonly SearchedKind[] {
  return source === 'indexes' ? kinds : kinds.filter(({ resource }) => source.includes(partOf(stage, resource)))
}

const partOf = (stage: string, { kind }: Resource) => `${stage}_${kind}`

/**
 * A stage of candidates. An index gives records in the order of the table, and for a frequent word very many. So at most
 * `searchRead` of them are read and `searchTaken` taken, and the newest of those are the candidates. What seems to be frequent is
 * looked for among the newest records first, and in an index only where these do not give enough candidates.
 */
export function indexedStage(name: string, wanted: readonly Wanted[], source: Source, bind: Bind): SearchStage {
  if (source !== 'indexes')
    return stageOf(
      name,
      wanted.map(each => amongNewest(each, bind)),
    )
  const parts = wanted.map(each => found(partOf(name, each.kind.resource), each, bind))
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

function found(part: string, wanted: Wanted, bind: Bind): Part {
  const { kind, asked, gates } = wanted
  const { resource } = kind
  const isMore = (of: string, most: number) => `exists (select from ${of} offset ${most})`
  // The part is asked first: where it is full, PostgreSQL need not read on to find out whether there was more to read.
  const overflow =
    asked.checked.length === 0
      ? isMore(part, bounds.searchTaken.most)
      : `(${isMore(part, bounds.searchTaken.most)} or ${isMore(`read_${part}`, bounds.searchRead.most)})`
  if (!asked.isFrequent && wanted.isRecent !== true) {
    const selects = [candidates(kind, 't.rank', ['true'], takenFrom(part, bounds.searchTaken.most), bind)]
    return { part, text: fromIndex(part, wanted, gates), selects, overflow, isLooked: false }
  }
  const newest = `newest_${part}`
  if (wanted.isRecent === true) {
    const text = `${newest} as materialized ${amongNewest(wanted, bind)}`
    return { part, text, selects: [`select * from ${newest}`], overflow: hasOlderRecords(resource), isLooked: true }
  }
  const isNotEnough = `(select count(*) from ${newest}) <= ${bounds.searchCandidates.most}`
  const isOther = `not exists (select from ${newest} n where n.id = t.id)`
  // Most organizations have so few records that all are among the newest. There an index lists few, and all of them are taken.
  const older = `older_${part}`
  const hasOlder = `(select o.has from ${older} o)`
  const most = `(select case when o.has then ${bounds.searchTaken.most} else ${bounds.searchScan.most} end from ${older} o)`
  return {
    part,
    text: `${older} as materialized (select ${hasOlderRecords(resource)} as has),
${newest} as materialized ${amongNewest({ ...wanted, gates: [...gates, hasOlder] }, bind)},
${fromIndex(part, wanted, [...gates, isNotEnough])}`,
    selects: [`select * from ${newest}`, candidates(kind, 't.rank', [isOther], takenFrom(part, most), bind)],
    overflow,
    isLooked: true,
  }
}

const takenFrom = (part: string, most: string | number) => `(select f.* from ${part} f limit ${most})`

/** SQL that tells whether the organization has records of the kind that are not among the newest. */
function hasOlderRecords(resource: Resource): string {
  const ids = `select t.id from ${resource.table.name} t where ${visibleIn(resource).join(' and ')}`
  return `exists (${ids} order by t.created_at desc, t.id desc offset ${bounds.searchScan.most} limit 1)`
}

// PostgreSQL plans a materialized part as if all of it were read, but reads no further than a limit outside of it. With the limit
// inside, it would walk through all records of the organization wherever it takes a rare word for a frequent one.
function fromIndex(
  part: string,
  { kind: { resource, others }, rank, asked: { lead, checked } }: Wanted,
  gates: readonly string[],
): string {
  const conditions = [...visibleIn(resource), ...lead, ...gates].join('\n       and ')
  const ranked = `${others.length === 0 ? 't.id, t.created_at, t.updated_at' : searchedColumns}, ${rank} as rank`
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

// What is not frequent is looked for here after an index has found too many, so its gates were open.
function amongNewest({ kind, rank, asked: { lead, checked, isFrequent }, gates }: Wanted, bind: Bind): string {
  const newest = newestRecords(kind.resource, isFrequent ? gates : [])
  return candidates(kind, rank, [...lead, ...checked], `(${newest})`, bind)
}
