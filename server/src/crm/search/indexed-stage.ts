import { bounds, type Resource, visibleIn } from '../../kernel/index.ts'
import { candidates, newestRecords, type Stage, stageOf } from './statement-parts.ts'

/** Records of a kind that are looked for: those under conditions on `t` of which an index knows, with their rank. */
export interface Wanted {
  readonly resource: Resource
  readonly rank: string
  readonly conditions: readonly string[]
  /** Scalars. Unless all of them hold, nothing is looked for. */
  readonly gates: readonly string[]
}

/** Where candidates come from: what indexes find in all records, or the newest records of each kind, one after another. */
export type Source = 'indexes' | 'newest'

/**
 * A stage of candidates. An index gives records in the order of the table, and of a frequent word as many as there are. So no
 * more are taken than `searchTaken` says, and the newest of these are the candidates.
 */
export function indexedStage(name: string, wanted: readonly Wanted[], source: Source): Stage {
  if (source === 'newest') return stageOf(name, wanted.map(amongNewest))
  const kinds = wanted.map(({ resource }) => resource)
  const stage = stageOf(
    name,
    kinds.map(resource => candidates(resource, 't.rank', ['true'], taken(name, resource))),
  )
  const crowded = kinds.map(
    ({ kind }) => `case when exists (select from ${name}_${kind} offset ${bounds.searchTaken.most}) then '${kind}' end`,
  )
  return { ...stage, text: [...wanted.map(each => found(name, each)), stage.text].join(',\n'), crowded }
}

// What is materialized is planned as if all of it were read, and read no further than the limit behind it. With the limit
// inside PostgreSQL would walk through all records of the organization, wherever it takes what is rare for frequent.
function found(stage: string, { resource, rank, conditions, gates }: Wanted): string {
  return `${stage}_${resource.kind} as materialized (
    select t.id, t.created_at, t.updated_at, ${rank} as rank from ${resource.table.name} t
     where ${[...visibleIn(resource), ...conditions, ...gates].join('\n       and ')})`
}

function taken(stage: string, { kind }: Resource): string {
  return `(select f.* from ${stage}_${kind} f limit ${bounds.searchTaken.most})`
}

function amongNewest({ resource, rank, conditions, gates }: Wanted): string {
  return candidates(resource, rank, [...conditions, ...gates], `(${newestRecords(resource, [])})`)
}
