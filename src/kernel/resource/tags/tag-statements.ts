import type { Reference } from '../../schema/index.ts'
import { type Row, type Statement, statement } from '../../sql/index.ts'
import type { ExtraNeed, Resource } from '../resource.ts'
import { ownKey } from '../statements.ts'

/** A tag as answers show it (contract section 6.5): `g`, with the key that application $2 has for it. */
const columns = `g.id, ${ownKey('tag', 'g.id')}, g.name, g.color, g.kinds, g.created_at as "createdAt"`
const byName = 'lower(g.name), g.id'

/** $1 organization, $2 application, $3 id of the record: a row for each of its tags, or one without a tag. */
export function selectTagsOf({ kind, table, statements }: Resource): Statement {
  return statement(
    `get_tags_of_${kind}`,
    `select t.version, not (${statements.visible}) as gone, ${columns}
       from ${table.name} t
       left join tags g on g.organization_id = $1 and g.id = any (t.tag_ids)
      where t.organization_id = $1 and t.id = $3
      order by ${byName}`,
  )
}

const isWanted = `current_setting('crm.claim') = 'held' and g.organization_id = $1
      and g.id = any ($3::uuid[] || array(
          select k.resource_id from external_keys k
           where k.organization_id = $1 and k.application_id = $2 and k.kind = 'tag' and not k.gone
             and k.key = any ($4::text[])))`

// A tag that is removed meanwhile cannot be assigned: whoever removes it waits, or this finds it no more.
const lockTags = statement('lock_tags', `select g.id from tags g where ${isWanted} order by g.id for share of g`)

const loadTags = statement('load_tags', `select ${columns} from tags g where ${isWanted} order by ${byName}`)

/** Names under which the rows are found in the working set. */
export const lockedTags = 'locked_tags'
export const loadedTags = 'loaded_tags'

/** Locks the tags that a request names, and loads them, by name. */
export function needTags(applicationId: string, references: readonly Reference[]): ExtraNeed[] {
  const ids = references.flatMap(reference => ('id' in reference ? [reference.id.toLowerCase()] : []))
  const keys = references.flatMap(reference => ('externalId' in reference ? [reference.externalId] : []))
  const values = [applicationId, ids, keys]
  return [
    { name: lockedTags, statement: lockTags, values },
    { name: loadedTags, statement: loadTags, values },
  ]
}

/** The tag of a loaded row. */
export function toTag({ id, externalId, name, color, kinds, createdAt }: Row): Row {
  return { id, externalId, name, color, kinds, createdAt }
}
