import { type Database, failureOf, type Transaction } from '../kernel/sql/index.ts'

const mostAttempts = 4

/**
 * Runs the work in one transaction, and commits if it does not throw. After a deadlock or another conflict with a transaction at the same
 * time, the work runs again on fresh data, four times at most; then it throws the conflict.
 */
export async function inOneTransaction<Result>(
  database: Pick<Database, 'begin'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const transaction = await database.begin()
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      if (failureOf(error) !== 'again' || attempt === mostAttempts) throw error
    } finally {
      // After the commit, this does nothing.
      await transaction.rollback()
    }
    await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
  }
}
