import { defineTable } from '../record/table.ts'
import { statement } from '../sql/index.ts'

/** What is kept in the store of files, for the save statement. */
export const files = defineTable('files', ['id'], {
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
  `select f.purpose, f.name, f.media_type as "mediaType", f.size_bytes as size, f.sha256
     from files f
    where f.organization_id = $1 and f.id = $2`,
)

/** $1 organization, $2 ids. Gives those that have a row. */
export const selectKnownFiles = statement(
  'select_known_files',
  'select f.id from files f where f.organization_id = $1 and f.id = any($2::uuid[])',
)
