import { bounds, type Resource, visibleIn } from '../../kernel/index.ts'
import { candidates, newestRecords, type SearchedKind, type Stage, stageOf } from './statement-parts.ts'

/** Records of a kind that are looked for: those under conditions on `t` of which an index knows, with their rank. */
export interface Wanted {
  readonly resource: Resource
  readonly rank: string
  readonly conditions: readonly string[]
  /** Scalars. Unless all of them hold, nothing is looked for. */
  readonly gates: readonly string[]
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
 * more are taken than `searchTaken` says, and the newest of these are the candidates.
 */
export function indexedStage(name: string, wanted: readonly Wanted[], source: Source): Stage {
  if (source !== 'indexes') return stageOf(name, wanted.map(amongNewest))
  const parts = wanted.map(each => found(partOf(name, each.resource), each))
  const selects = wanted.map(({ resource }) => {
    const taken = `(select f.* from ${partOf(name, resource)} f limit ${bounds.searchTaken.most})`
    return candidates(resource, 't.rank', ['true'], taken)
  })
  const crowded = wanted.map(({ resource }) => {
    const part = partOf(name, resource)
    return `case when exists (select from ${part} offset ${bounds.searchTaken.most}) then '${part}' end`
  })
  const stage = stageOf(name, selects)
  return { ...stage, text: [...parts, stage.text].join(',\n'), crowded }
}

// What is materialized is planned as if all of it were read, and read no further than the limit behind it. With the limit
// inside PostgreSQL would walk through all records of the organization, wherever it takes what is rare for frequent.
function found(part: string, { resource, rank, conditions, gates }: Wanted): string {
  return `${part} as materialized (
    select t.id, t.created_at, t.updated_at, ${rank} as rank from ${resource.table.name} t
     where ${[...visibleIn(resource), ...conditions, ...gates].join('\n       and ')})`
}

// The gates were open where an index found so many.
function amongNewest({ resource, rank, conditions }: Wanted): string {
  return candidates(resource, rank, conditions, `(${newestRecords(resource, [])})`)
}
