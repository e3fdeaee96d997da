import type { Database, Transaction } from '../kernel/sql/index.ts'

/** Runs the work in one transaction, and commits if it does not throw. */
export async function inOneTransaction<Result>(
  database: Pick<Database, 'begin'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const transaction = await database.begin()
  try {
    const result = await work(transaction)
    await transaction.commit()
    return result
  } finally {
    // After the commit, this does nothing.
    await transaction.rollback()
  }
}
