import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'

export const viewTable = defineTable('views', ['id'], {
  id: 'uuid',
  version: 'bigint',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  owner: 'uuid',
  kind: 'text',
  name: 'text',
  shared: 'boolean',
  definition: 'jsonb',
})

const columns = 'v.id, v.version, v.created_at, v.updated_at, v.owner, v.kind, v.name, v.shared, v.definition'

/** All views of organization $1. */
export const selectViews = statement(
  'select_views',
  `select ${columns} from views v where v.organization_id = $1 order by lower(v.name), v.id`,
)

/** $1 organization, $2 id. */
export const lockView = claimedStatement(
  'lock_view',
  `select ${columns} from views v where v.organization_id = $1 and v.id = $2 for no key update`,
)

/** The views of organization $1, and whether each is left over: a private one of a user who is no more. */
export const selectRoom = claimedStatement(
  'select_room_for_views',
  `select v.id, not v.shared and not exists (
            select from operators o where o.organization_id = $1 and o.id = v.owner and o.active) as "isLeft"
     from views v where v.organization_id = $1`,
)
