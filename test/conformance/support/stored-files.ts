import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'

type Owner = Pick<TestOrganization, 'id'>

/** The ids of the files whose bytes the store has of an organization. */
export async function storedFiles(given: Given, { id }: Owner): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of given.api.services.files.store.list(`${id}/`)) found.push(key.split('/').at(-1) ?? '')
  return found
}

/** The bytes that the files of an organization have: by its total, and by the sum of its files. */
export async function bytesOf(given: Given, { id }: Owner): Promise<readonly [total: number, sum: number]> {
  const [row] = await given.sql(
    `select f.file_bytes as total, (select coalesce(sum(s.size_bytes), 0) from files s where s.organization_id = $1) as sum
       from organization_feed f where f.organization_id = $1`,
    [id],
  )
  return [Number(row?.total), Number(row?.sum)]
}

/** Attaches files to a record that have rows and no bytes. */
export async function fillWithFiles(
  given: Given,
  { id: organizationId }: Owner,
  kind: 'contact' | 'company',
  id: unknown,
  count: number,
): Promise<void> {
  await given.sql(
    `with made as (
       insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
       select $1, gen_random_uuid(), 'attachment', 'Offer', 'text/plain', 0, '', now() from generate_series(1, $3::integer)
       returning id)
     insert into ${kind}_files (organization_id, id, version, created_at, updated_at, ${kind}_id, name, mime_type, size_bytes,
       sha256)
     select $1, m.id, 1, now(), now(), $2, 'Offer', 'text/plain', 0, '' from made m`,
    [organizationId, id, count],
  )
}

/** Adds notes to a record. */
export async function fillWithNotes(
  given: Given,
  { id: organizationId }: Owner,
  kind: 'contact' | 'company',
  id: unknown,
  count: number,
): Promise<void> {
  await given.sql(
    `insert into ${kind}_activities (organization_id, id, version, created_at, updated_at, ${kind}_id, type, subject, occurred_at)
     select $1, gen_random_uuid(), 1, now(), now(), $2, 'note', 'Chairs', now() from generate_series(1, $3::integer)`,
    [organizationId, id, count],
  )
}
