import { type Files, filesOf } from '../kernel/files/index.ts'
import { raiseGeneration, raisePeopleGeneration, removeJobsOf } from '../kernel/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import {
  type Database,
  identifier,
  type LongTransaction,
  ownerColumn,
  type Statement,
  statement,
  type TenantTable,
  tenantTables,
} from '../kernel/sql/index.ts'

/** An organization that cannot be removed; the message is one line for the operator who ran the command. */
class RemovalError extends Error {
  override readonly name = 'RemovalError'
}

export interface RemovedOrganization {
  readonly id: string
  readonly name: string
  /** What this run removed. */
  readonly rows: Readonly<Record<string, number>>
  readonly total: number
}

/**
 * Erases an organization with everything that belongs to it. First it becomes unreachable and read-only; then its rows are removed, one
 * portion per transaction, so that neither locks nor the write-ahead log grow with it, and with them its files and its jobs. After an
 * interruption the same call continues.
 *
 * Throws a `RemovalError` for an unknown organization, and if `confirmedName` is not its name.
 */
export async function removeOrganization(
  { database, files }: { readonly database: Database; readonly files: Files },
  organizationId: string,
  confirmedName: string,
): Promise<RemovedOrganization> {
  const id = organizationId.toLowerCase()
  const [found] = isUuid(id) ? await database.query(selectName, [id]) : []
  if (found === undefined) throw new RemovalError(`no such organization: ${organizationId}`)
  const name = String(found.name)
  if (name !== confirmedName)
    throw new RemovalError(`the organization ${id} is not named "${confirmedName}": nothing was removed`)
  const rows = new Map<string, number>()
  const count = (table: string, more: number) => rows.set(table, (rows.get(table) ?? 0) + more)
  const tables = await tenantTables(database)
  await database.long('write', transaction => shut(transaction, id, count))
  for (const table of tables) {
    if (table.identity === null) count(table.name, await removeRows(database, table, id))
  }
  for await (const { key } of files.store.list(filesOf(id))) await files.store.remove(key)
  await database.long('write', async transaction => {
    await transaction.query(lockOrganization, [id])
    // Settings may have been added while other rows were removed: none can be added while the organization is locked.
    for (const table of tables) {
      count(table.name, (await transaction.query(deletePortion(table), [id, Number.MAX_SAFE_INTEGER])).length)
    }
    await removeJobsOf(transaction, id)
    await transaction.query(raiseGeneration, [])
  })
  // A worker may have queued a job again while the others were removed.
  await removeJobsOf(database, id)
  const removed = Object.fromEntries([...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const total = Object.values(removed).reduce((sum, more) => sum + more, 0)
  return { id, name, rows: removed, total }
}

const selectName = statement('select_organization_to_remove', 'select o.name from organizations o where o.id = $1')

// Every change of settings also locks this row.
const lockOrganization = statement(
  'lock_organization_to_remove',
  'select 1 from organizations o where o.id = $1 for update',
)

const deleteTokens = statement('remove_tokens', 'delete from api_tokens t where t.organization_id = $1 returning 1')

const deleteMemberships = statement(
  'remove_memberships',
  'delete from memberships m where m.organization_id = $1 returning 1',
)

const disableApplications = statement(
  'disable_applications_to_remove',
  'update applications a set enabled = false where a.organization_id = $1',
)

// Every write ends with an update of this row and fails without it, so a write in progress adds nothing any more.
const deleteFeed = statement('remove_feed', 'delete from organization_feed f where f.organization_id = $1 returning 1')

/** Every server refuses its tokens and members within a second, and no write in progress succeeds. */
async function shut(
  transaction: LongTransaction,
  id: string,
  count: (table: string, more: number) => void,
): Promise<void> {
  await transaction.query(lockOrganization, [id])
  count('api_tokens', (await transaction.query(deleteTokens, [id])).length)
  count('memberships', (await transaction.query(deleteMemberships, [id])).length)
  await transaction.query(disableApplications, [id])
  count('organization_feed', (await transaction.query(deleteFeed, [id])).length)
  await transaction.query(raiseGeneration, [])
  await transaction.query(raisePeopleGeneration, [])
}

const portion = 2000

async function removeRows(database: Database, table: TenantTable, id: string): Promise<number> {
  let sum = 0
  let removed: number
  do {
    removed = await removePortion(database, table, id)
    sum += removed
  } while (removed > 0)
  return sum
}

async function removePortion(database: Database, table: TenantTable, id: string): Promise<number> {
  const transaction = await database.begin()
  try {
    const removed = await transaction.query(deletePortion(table), [id, portion])
    await transaction.commit()
    return removed.length
  } finally {
    await transaction.rollback()
  }
}

function deletePortion(table: TenantTable): Statement {
  const { name, key } = table
  const [rows, owner, columns] = [identifier(name), ownerColumn(table), key.map(identifier).join(', ')]
  return statement(
    `remove_portion_of_${name}`,
    `delete from ${rows}
      where ${owner} = $1
        and (${columns}) in (select ${columns} from ${rows} where ${owner} = $1 order by ${columns} limit $2)
     returning 1`,
  )
}
