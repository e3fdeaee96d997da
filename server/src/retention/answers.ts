import { type Database, statement } from '../kernel/sql/index.ts'

// By the clock of the database, as the column slot is filled. A day's slot can be emptied when the day has been over for as long
// as answers are kept; it is used again four days after it began, and an hour before that nothing is emptied any more. What
// was there before answers lay in slots goes when all of it is old.
const selectExpiredSlots = statement(
  'select_expired_answer_slots',
  `select 'idempotency_answers_' || d.day % 4 as name
     from (select extract(epoch from now())::bigint as now) as c
    cross join lateral (values (c.now / 86400 - 2), (c.now / 86400 - 3)) as d(day)
    where c.now >= (d.day + 1) * 86400 + $1::bigint and c.now < (d.day + 4) * 86400 - 3600
    union all
   select 'idempotency_answers_before'
    where exists (select from idempotency_answers_before)
      and not exists (select from idempotency_answers_before b where b.created_at > now() - make_interval(secs => $1))`,
)

const lockSoon = statement('lock_soon', `select set_config('lock_timeout', '200ms', true)`)

const attempts = 10

/**
 * Empties the partitions whose answers are all older than `seconds`. Emptying waits for whoever uses a partition, and all who
 * come later wait for it: so it waits for a moment only, and tries again a little later. The statements are about all
 * organizations: a partition has a day of all of them.
 */
export async function emptyAnswerSlots(
  database: Database,
  seconds: number,
): Promise<{ removed: number; skipped: string[] }> {
  const slots = await database.query(selectExpiredSlots, [seconds])
  const skipped: string[] = []
  let removed = 0
  for (const { name } of slots) {
    const count = await emptied(database, String(name))
    if (count === null) skipped.push(String(name))
    else removed += count
  }
  return { removed, skipped }
}

/** How many answers a partition held; null when it was in use in every attempt. */
async function emptied(database: Database, name: string): Promise<number | null> {
  const [counted] = await database.query(statement(`count_${name}`, `select count(*) from ${name}`), [])
  if (Number(counted?.count) === 0) return 0
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await tryToEmpty(database, name)) return Number(counted?.count)
    await new Promise(resolve => setTimeout(resolve, 500))
  }
  return null
}

async function tryToEmpty(database: Database, name: string): Promise<boolean> {
  const transaction = await database.begin()
  try {
    await transaction.query(lockSoon, [])
    await transaction.query(statement(`empty_${name}`, `truncate ${name}`), [])
    await transaction.commit()
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  } finally {
    await transaction.rollback()
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
