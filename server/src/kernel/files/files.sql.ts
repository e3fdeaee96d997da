import { defineTable } from '../record/index.ts'
import { type Row, statement } from '../sql/index.ts'
import { type FileName, filePurposes } from './file-key.ts'

/** The table of stored files, for the save statement. */
export const filesTable = defineTable('files', ['id'], {
  id: 'uuid',
  purpose: 'text',
  name: 'text',
  media_type: 'text',
  size_bytes: 'bigint',
  sha256: 'text',
  created_at: 'timestamptz',
  holds_persons: 'boolean',
})

/** $1 organization, $2 id. */
export const selectFile = statement(
  'get_file',
  `select f.id, f.purpose, f.name, f.media_type as "mediaType", f.size_bytes as size, f.sha256
     from files f
    where f.organization_id = $1 and f.id = $2`,
)

/** A file with a row, as its row describes it. */
export interface RecordedFile extends FileName {
  readonly name: string
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
  readonly sha256: string
}

/** The name of a file in the store, from a row with its id and purpose. */
export function toFileName(organizationId: string, { id, purpose: word }: Row): FileName {
  const purpose = filePurposes.find(known => known === word)
  if (purpose === undefined) throw new Error(`a file has the unknown purpose ${String(word)}`)
  return { organizationId, purpose, id: String(id) }
}

/** The file that a row describes; the row has the columns of `selectFile`. */
export function toRecordedFile(organizationId: string, row: Row): RecordedFile {
  return {
    ...toFileName(organizationId, row),
    name: String(row.name),
    mediaType: String(row.mediaType),
    size: Number(row.size),
    sha256: String(row.sha256),
  }
}

/** $1 organization, $2 ids. Selects those that have a row. */
export const selectKnownFiles = statement(
  'select_known_files',
  'select f.id, f.purpose from files f where f.organization_id = $1 and f.id = any($2::uuid[])',
)

/** $1 organization and $2 id of the row after which the page begins. Rows of all organizations, in the order of the key. */
export const selectRecordedFiles = statement(
  'select_recorded_files',
  `select f.organization_id as "organizationId", f.id, f.purpose, f.name, f.media_type as "mediaType",
          f.size_bytes as size, f.sha256
     from files f
    where (f.organization_id, f.id) > ($1::uuid, $2::uuid)
    order by f.organization_id, f.id
    limit 500`,
)

/** $1 organization. */
export const selectOrganizationOfFiles = statement(
  'select_organization_of_files',
  'select o.id from organizations o where o.id = $1',
)
