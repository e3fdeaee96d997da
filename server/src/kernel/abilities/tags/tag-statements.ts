import { externalKey, Lookup, type Resource, recordStatements, wantedIds } from '../../record/index.ts'
import type { Reference } from '../../schema/index.ts'
import { claimedStatement, type Row, type Statement, statement } from '../../sql/index.ts'

/** The columns of a tag `g` in answers (contract section 6.5), with the key that application $2 has for it. */
const columns = `g.id, ${externalKey('tag', 'g.id')}, g.name, g.color, g.kinds, g.created_at as "createdAt"`
const byName = 'lower(g.name), g.id'

/** $1 organization, $2 application, $3 id of the record. Returns a row for each tag of the record, or one row without a tag. */
export function selectTagsOf(resource: Resource): Statement {
  const { kind, table } = resource
  return statement(
    `get_tags_of_${kind}`,
    `select t.version, not (${recordStatements(resource).visible}) as gone, ${columns}
       from ${table.name} t
       left join lateral unnest(t.tag_ids) as carried(id) on true
       left join lateral (
         select x.* from tags x where x.organization_id = $1 and x.id = carried.id
         offset 0) as g on true
      where t.organization_id = $1 and t.id = $3
      order by ${byName}`,
  )
}

const found = (ids: string, selected: string, end: string) => `(${ids}) as wanted
    cross join lateral (select ${selected} from tags x where x.organization_id = $1 and x.id = wanted.id ${end}) as g`
const ids = wantedIds('tag')

// A removed tag cannot be assigned: either the removal waits for this lock, or this statement no longer finds the tag.
const lock = (end: string) => `select g.id from ${found(`${ids} order by id`, 'x.id', end)}`
const lockTags = claimedStatement('lock_tags', lock('for share'))
const tryTags = claimedStatement('try_tags', lock('for share skip locked'))

const loadTags = claimedStatement(
  'load_tags',
  `select ${columns} from ${found(ids, 'x.*', 'offset 0')} order by ${byName}`,
)

/** The tags that a request names. */
export interface NamedTags {
  /** Locks the tags, and returns the ids of those that exist. */
  readonly locked: Lookup
  /** The tags, ordered by name. */
  readonly loaded: Lookup
}

export function namedTags(applicationId: string | null, references: readonly Reference[]): NamedTags {
  const ids = references.flatMap(reference => ('id' in reference ? [reference.id.toLowerCase()] : []))
  const keys = references.flatMap(reference => ('externalId' in reference ? [reference.externalId] : []))
  const values = [applicationId, ids, keys]
  const loaded = Lookup.rows(loadTags, values, 'stays')
  return { locked: Lookup.rows(lockTags, values, { tries: tryTags, locks: loaded }), loaded }
}

/** Converts a loaded row to a tag. */
export function toTag({ id, externalId, name, color, kinds, createdAt }: Row): Row {
  return { id, externalId, name, color, kinds, createdAt }
}
