import { defineUpkeep, organizationsWith } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'

const summed = '(select coalesce(sum(s.size_bytes), 0) from files s where s.organization_id = $1)'

/** $1 organization: returns a row if its total differs from the sum of its files. */
const findWrong = statement(
  'find_wrong_file_total',
  `select 1 as found from organization_feed f where f.organization_id = $1 and f.file_bytes <> ${summed}`,
)

/** $1 organization. */
const lockTotal = statement(
  'lock_file_total',
  'select 1 as held from organization_feed f where f.organization_id = $1 for no key update',
)

/** $1 organization. */
const correctTotal = statement(
  'correct_file_total',
  `update organization_feed f set file_bytes = ${summed} where f.organization_id = $1`,
)

const organizationsWithFeed = organizationsWith('organization_feed')

/**
 * Corrects the total size of each organization's files. Writes maintain that total, but a server of an older release, which runs during a
 * rolling upgrade, does not.
 */
export const correctFileTotals = defineUpkeep({
  name: 'file totals',
  async run({ database }, signal) {
    for await (const id of organizationsWithFeed(database, signal)) {
      if ((await database.query(findWrong, [id])).length > 0) await correct(database, id)
    }
    return { removed: {} }
  },
})

/** A transaction that changes the total locks it until the commit, so under the lock the total equals the sum of the visible files. */
async function correct(database: Database, organizationId: string): Promise<void> {
  const transaction = await database.begin()
  try {
    await transaction.query(lockTotal, [organizationId])
    await transaction.query(correctTotal, [organizationId])
    await transaction.commit()
  } finally {
    await transaction.rollback()
  }
}
