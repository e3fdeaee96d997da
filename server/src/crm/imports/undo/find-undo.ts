import { type JobSurroundings, unattended } from '../../../kernel/index.ts'
import { type Database, statement } from '../../../kernel/sql/index.ts'

const selectOrganization = statement(
  'select_organization_of_import',
  `select o.id from organizations o
    where exists (select 1 from imports i where i.organization_id = o.id and i.id = $1) limit 1`,
)

/** The organization that has an import; null if none has. */
export async function organizationOfImport(database: Database, importId: string): Promise<string | null> {
  const [row] = await database.search(selectOrganization, [importId])
  return row === undefined ? null : String(row.id)
}

/** A record of which an undo leaves something. */
type KeptRecord = {
  readonly resourceType: string
  readonly id: string
  readonly reason: string
  readonly fields: readonly string[]
}

const mostListed = 1000

const selectKept = statement(
  'select_kept_records',
  `select k.kind as "resourceType", k.record_id as id, k.reason, k.fields from import_undo_kept k
    where k.organization_id = $1 and k.undo_id = $2 order by k.record_id limit ${mostListed}`,
)

/** The records of which an undo leaves something, the first 1,000. */
export function keptRecords(undoId: string, { organizationId, services }: JobSurroundings): Promise<KeptRecord[]> {
  return services.database.query<KeptRecord>(selectKept, [organizationId, undoId], unattended(organizationId))
}
