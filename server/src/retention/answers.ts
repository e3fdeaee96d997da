import { type Database, isLockTimeout, type Row, shortWait, whenFree } from '../kernel/sql/index.ts'

// The partitions that can be emptied now, by the clock of the database, which also fills the column `slot`. The partition of a day can be
// emptied when the day has been over for the retention of answers, and until an hour before the partition is used again, which is four days
// after the day began. The fifth partition, for answers from before slots existed, is emptied when all of it is old.
const expiredSlots = (seconds: number) => `
  select 'idempotency_answers_' || d.day % 4 as name
    from (select extract(epoch from now())::bigint as now) as c
   cross join lateral (values (c.now / 86400 - 2), (c.now / 86400 - 3)) as d(day)
   where c.now >= (d.day + 1) * 86400 + ${seconds} and c.now < (d.day + 4) * 86400 - 3600
   union all
  select 'idempotency_answers_before'
   where not exists (select from idempotency_answers_before b where b.created_at > now() - make_interval(secs => ${seconds}))`

const attempts = 10

/**
 * Up to this many answers are counted. Beyond it the number comes from PostgreSQL's statistics, because counting a million reads a
 * gigabyte.
 */
const mostCounted = 100_000

/**
 * Empties the partitions in which all answers are older than `seconds`. The lock waits for transactions that use a partition, and all later
 * ones queue behind it: so it waits only for a moment, and is retried a little later. The statements cover all organizations: a partition
 * holds one day of all of them. They run on a connection without time limits.
 */
export function emptyAnswerSlots(database: Database, seconds: number): Promise<{ removed: number; skipped: string[] }> {
  return database.session(async run => {
    const skipped: string[] = []
    let removed = 0
    for (const row of await run(expiredSlots(seconds))) {
      const name = String(row.name)
      const count = await emptied(run, name)
      if (count === null) skipped.push(name)
      else removed += count
    }
    return { removed, skipped }
  })
}

/** How many answers a partition held; null if it was in use in every attempt. */
async function emptied(run: (text: string) => Promise<Row[]>, name: string): Promise<number | null> {
  const held = await countIn(run, name)
  if (held === 0) return 0
  await run(`set lock_timeout = '${shortWait}'`)
  try {
    await whenFree(() => run(`truncate ${name}`), attempts)
    return held
  } catch (error) {
    if (isLockTimeout(error)) return null
    throw error
  } finally {
    await run('set lock_timeout = 0')
  }
}

async function countIn(run: (text: string) => Promise<Row[]>, name: string): Promise<number> {
  const [known] = await run(
    `select s.n_live_tup as answers from pg_stat_user_tables s where s.relid = '${name}'::regclass`,
  )
  const estimated = Number(known?.answers ?? 0)
  if (estimated > mostCounted) return estimated
  const [counted] = await run(`select count(*) as answers from ${name}`)
  return Number(counted?.answers)
}
