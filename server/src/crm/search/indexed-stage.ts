import { bounds, type Resource, visibleIn } from '../../kernel/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'
import { type Checks, isUnchecked, type SearchPlan } from './frequency.ts'
import {
  candidates,
  newestRecords,
  type Ranked,
  type SearchedKind,
  type SearchStage,
  searchedColumns,
  stageOf,
} from './statement-parts.ts'

/** The search of a stage in one kind: conditions on its records `t`, and SQL of the rank of the matches. */
export interface Wanted {
  readonly kind: Ranked
  readonly rank: string
  readonly asked: SearchPlan
  /** SQL conditions that do not depend on a record. The stage runs only if all of them are true. */
  readonly gates: readonly string[]
  /** Whether the conditions are only checked among the newest records, without an index. */
  readonly isRecent?: boolean
}

/** The source of candidates: `indexes` over all records, or the newest records, for the parts of stages with these names. */
export type Source = 'indexes' | readonly string[]

/** The kinds that a stage searches in this source. Values are bound for these only, because a statement must use all its values. */
export function kindsIn(source: Source, stage: string, kinds: readonly SearchedKind[]): readonly SearchedKind[] {
  return source === 'indexes' ? kinds : kinds.filter(({ resource }) => source.includes(partOf(stage, resource)))
}

const partOf = (stage: string, { kind }: Resource) => `${stage}_${kind}`

/**
 * A stage of candidates. An index returns records in the order of the table, and very many for a frequent word. So at most `searchRead` of
 * them are read and `searchTaken` taken, and the newest of those are the candidates. Conditions that appear frequent are checked among the
 * newest records first, and searched in an index only if these do not give enough candidates.
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
  /** A scalar: whether an index has more matches than are read or taken. */
  readonly overflow: string
  /** Whether the newest records have already been scanned. */
  readonly isLooked: boolean
}

function found(part: string, wanted: Wanted, bind: Bind): Part {
  const { kind, asked, gates } = wanted
  const { resource } = kind
  const isMore = (of: string, most: number) => `exists (select from ${of} offset ${most})`
  // The part is evaluated first: if it is full, PostgreSQL need not read on to find out whether there are more rows.
  const overflow = isUnchecked(asked.checked)
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
  // In most organizations all records are among the newest. There an index lists few records, and all of them are taken.
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

/** SQL that is true if the organization has records of the kind that are not among the newest. */
function hasOlderRecords(resource: Resource): string {
  const ids = `select t.id from ${resource.table.name} t where ${visibleIn(resource).join(' and ')}`
  return `exists (${ids} order by t.created_at desc, t.id desc offset ${bounds.searchScan.most} limit 1)`
}

// PostgreSQL plans a materialized part as if all of it were read, but stops reading at a limit outside it. With the limit inside, it would
// scan all records of the organization whenever it mistakes a rare word for a frequent one.
function fromIndex(
  part: string,
  { kind: { resource, others }, rank, asked: { lead, checked } }: Wanted,
  gates: readonly string[],
): string {
  const conditions = [...visibleIn(resource), ...lead, ...gates].join('\n       and ')
  const ranked = `${others.length === 0 ? 't.id, t.created_at, t.updated_at' : searchedColumns}, ${rank} as rank`
  if (isUnchecked(checked))
    return `${part} as materialized (
    select ${ranked} from ${resource.table.name} t
     where ${conditions})`
  return `read_${part} as materialized (
    select ${searchedColumns} from ${resource.table.name} t
     where ${conditions}),
${part} as materialized (
    select ${ranked} from ${meeting(checked.first, `(select r.* from read_${part} r limit ${bounds.searchRead.most})`)} as t
     where ${allOf(checked.last)})`
}

// PostgreSQL orders conditions by costs that it only estimates, but evaluates those of the inner part first.
const meeting = (first: Checks['first'], from: string) =>
  `(select t.* from ${from} as t where ${allOf(first)} offset 0)`

const allOf = (conditions: readonly string[]) => ['true', ...conditions].join('\n       and ')

// A condition that is not frequent reaches this source after an index has returned too many records, so its gates were open.
function amongNewest({ kind, rank, asked: { scanned, isFrequent }, gates }: Wanted, bind: Bind): string {
  const newest = newestRecords(kind.resource, isFrequent ? gates : [])
  return candidates(kind, rank, ['true', ...scanned.last], meeting(scanned.first, `(${newest})`), bind)
}
