import { statement } from '../../kernel/sql/index.ts'

const most = 1000

// Queried for each request, so that a change by a command is visible at once.
export const selectVersionAndUse = statement(
  'select_configuration_version_and_use',
  `select o.directory_version as version, o.file_quota_bytes as quota, f.file_bytes as used
     from organizations o
     left join organization_feed f on f.organization_id = o.id
    where o.id = $1`,
)

// The version comes from the same snapshot as the entries. One row more than the limit shows that there are more.
export const selectDirectories = statement(
  'select_directories',
  `select
     (select coalesce(json_agg(x), '[]') from (
        select p.id, p.name, p.is_default as "isDefault", p.lost_reason_required as "lostReasonRequired",
               (select coalesce(json_agg(json_build_object('uuid', s.id, 'name', s.name, 'type', s.type, 'position', s.position)
                         order by s.position, s.id), '[]')
                  from stages s
                 where s.organization_id = $1 and s.pipeline_id = p.id and not s.archived) as stages
          from pipelines p where p.organization_id = $1 order by p.position, p.id limit ${most + 1}) x) as pipelines,
     (select coalesce(json_agg(x), '[]') from (
        select l.id as uuid, l.name, l.pipeline_id as "pipelineId"
          from lost_reason_categories l
         where l.organization_id = $1 and l.active order by l.position, l.id limit ${most + 1}) x) as "lostReasonCategories",
     (select coalesce(json_agg(x), '[]') from (
        select t.id,
               (select k.key from external_keys k
                 where k.organization_id = $1 and k.resource_id = t.id and k.application_id = $2 and k.kind = 'tag'
                   and not k.gone) as "externalId",
               t.name, t.color, t.kinds,
               to_char(t.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
          from tags t where t.organization_id = $1 order by lower(t.name), t.id limit ${most + 1}) x) as tags,
     (select coalesce(json_agg(x), '[]') from (
        select f.kind, f.key, f.label, f.type, f.options, f.required
          from custom_field_definitions f
         where f.organization_id = $1 order by f.kind, f.position, f.key limit ${most + 1}) x) as "customFields",
     (select coalesce(json_agg(x), '[]') from (
        select o.id as uuid, o.name, o.active as "isActive"
          from operators o where o.organization_id = $1 order by o.name, o.id limit ${most + 1}) x) as operators,
     (select json_build_object('id', o.id, 'name', o.name, 'timeZone', o.time_zone, 'defaultCurrency', o.default_currency,
               'currencies', o.currencies, 'locale', o.locale, 'country', o.country)
        from organizations o where o.id = $1) as organization,
     (select o.directory_version from organizations o where o.id = $1) as version`,
)

type Entries = readonly unknown[]

export type DirectoriesRow = {
  readonly pipelines: Entries
  readonly lostReasonCategories: Entries
  readonly tags: Entries
  readonly customFields: Entries
  readonly operators: Entries
  readonly organization: unknown
  readonly version: string
}

/** The directories with at most 1,000 entries each, and the names of the directories that have more. */
export function capDirectories({ organization: _, version: __, ...directories }: DirectoriesRow) {
  const truncated = Object.entries(directories).flatMap(([name, entries]) => (entries.length > most ? [name] : []))
  const capped = Object.fromEntries(
    Object.entries(directories).map(([name, entries]) => [name, entries.slice(0, most)]),
  )
  return { ...capped, truncated }
}
