import { type Database, selectEpoch, statement } from '../../../kernel/sql/index.ts'

const selectColumn = statement(
  'doctor_epoch_column',
  `select exists (select from pg_attribute a
                   where a.attrelid = to_regclass('installation') and a.attname = 'epoch' and not a.attisdropped) as known`,
)

/** What cannot be detected if the role may not read a part of the database's identity. */
const unnoticed = {
  systemIdentifier: 'a dump that was restored on another server (pg_control_system)',
  timeline: 'a promoted standby and a recovery to a point in time (pg_current_wal_lsn, pg_walfile_name)',
  databaseOid: 'a dump that was restored into another database (pg_database)',
} as const

const parts = ['systemIdentifier', 'timeline', 'databaseOid'] as const

/** Reports the epoch of the change feeds, and whether the database is the one that the installation recorded. */
export async function examineFeed(database: Database): Promise<string> {
  const [column] = await database.search(selectColumn, [])
  if (column?.known !== true) return 'no epoch yet: the first start makes one'
  const [row] = await database.search(selectEpoch, [])
  const { identity, remembered } = await database.identity()
  const isOther = parts.some(part => {
    const [found, known] = [identity[part], remembered?.[part] ?? null]
    return found !== null && known !== null && found !== known
  })
  const hidden = parts.filter(part => identity[part] === null).map(part => unnoticed[part])
  return [
    `epoch ${String(row?.epoch)}`,
    ...(isOther ? ['another database than before: the next start raises it, unless feed keep-epoch runs first'] : []),
    ...(hidden.length > 0
      ? [`the user may not ask for all that a database is known by: not noticed is ${hidden.join(', ')}`]
      : []),
  ].join('; ')
}
