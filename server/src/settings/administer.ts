import { type Database, statement, type Transaction } from '../kernel/sql/index.ts'
import { noSuch } from './administration-error.ts'
import { uuidOf } from './values.ts'

// The first statement of every change, so it is also the lock that lets one change happen at a time: what a change
// has checked still holds when it is written.
const raiseGeneration = statement(
  'raise_generation',
  'update installation set generation = generation + 1 where singleton',
)

const raiseDirectoryVersion = statement(
  'raise_directory_version',
  'update organizations o set directory_version = o.directory_version + 1 where o.id = $1 returning o.id',
)

/**
 * Runs an administrative change in one transaction. Nodes see the raised generation and drop what they remember of
 * tokens, applications and organizations. Throws what `change` throws; then nothing was changed.
 */
export async function administer<Result>(
  database: Database,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const transaction = await database.begin()
  try {
    await transaction.query(raiseGeneration, [])
    const result = await change(transaction)
    await transaction.commit()
    return result
  } finally {
    await transaction.rollback()
  }
}

/**
 * `administer`, for what an organization has configured: writes that run now notice the raised version of
 * its configuration. Throws an `AdministrationError` when there is no such organization.
 */
export async function configure<Result>(
  database: Database,
  organizationId: string,
  change: (transaction: Transaction, organizationId: string) => Promise<Result>,
): Promise<Result> {
  const id = uuidOf('organization', organizationId)
  return administer(database, async transaction => {
    const raised = await transaction.query(raiseDirectoryVersion, [id])
    if (raised.length === 0) throw noSuch('organization', organizationId)
    return change(transaction, id)
  })
}
