import { distributeNew } from './distribute.ts'
import { isDistributed } from './distribution.ts'
import { type Run, statementsOf } from './script.ts'
import type { Statement } from './statement.ts'

/**
 * Runs the statements of a migration in the transaction that the caller has begun. On a cluster, new tables are distributed at once, so
 * that rows inserted by the same migration can refer to rows of other tables.
 */
export async function runMigration(run: Run, text: string): Promise<void> {
  const query = (asked: Statement) => run(asked.text)
  const isOnCluster = await isDistributed({ query })
  // All changes must reach a node over one connection: a second one would not see what the first has not committed.
  if (isOnCluster) await run(`set local citus.multi_shard_modify_mode = 'sequential'`)
  for (const each of statementsOf(text)) {
    await run(each)
    if (isOnCluster && /^create (?:or replace )?(?:table|function)\b/u.test(each)) await distributeNew(run)
  }
}
