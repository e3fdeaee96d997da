import { type Refusal, violates } from '../errors/index.ts'
import { type FileName, forgetFile } from '../files/index.ts'
import type { RowChange } from '../record/table.ts'
import { claimedStatement } from '../sql/index.ts'
import type { Needs } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

// The oldest exports are read only where there is no room without them.
const selectUse = claimedStatement(
  'select_use_of_file_quota',
  `select u.used, u.quota, x.id, x.size
     from (select f.file_bytes as used, o.file_quota_bytes as quota
             from organizations o
             join organization_feed f on f.organization_id = o.id
            where o.id = $1) u
     left join lateral (
       select e.id, e.size_bytes as size, sum(e.size_bytes) over (order by e.created_at, e.id) - e.size_bytes as older
         from files e
        where e.organization_id = $1 and e.purpose = 'export' and u.used + $2::bigint > u.quota) x
       on x.older < u.used + $2::bigint - u.quota
    order by x.older`,
)

/**
 * Needs to know how much of its quota of files the organization uses, where so many bytes come. Transactions that add
 * files wait for each other.
 */
export function needFileRoom(needs: Needs, bytes: number): void {
  needs.toAdd({ kind: 'file' })
  needs.toLoad([{ name: selectUse.name, statement: selectUse, values: [bytes] }])
}

/** How many bytes the files of an organization have, and may have. */
interface FileUse {
  readonly used: number
  readonly quota: number
}

/** The use of the quota as `needFileRoom` has loaded it. */
export function fileUse(work: WorkingSet): FileUse {
  const [row] = work.extra(selectUse.name)
  return { used: Number(row?.used), quota: Number(row?.quota) }
}

/** What makes room for files: the exports that go, the oldest first. */
export interface FileRoom {
  readonly dropped: readonly FileName[]
  readonly rows: readonly RowChange[]
}

/**
 * Makes room for so many bytes, at most as many as `needFileRoom` was told. 422 at the path where the quota has no room for them,
 * also without any export (contract section 14).
 */
export function fileRoom(path: string, bytes: number, organizationId: string, work: WorkingSet): FileRoom | Refusal {
  const use = fileUse(work)
  const dropped: FileName[] = []
  const rows: RowChange[] = []
  let excess = use.used + bytes - use.quota
  for (const { id, size } of work.extra(selectUse.name)) {
    if (excess <= 0 || id === null) break
    excess -= Number(size)
    dropped.push({ organizationId, purpose: 'export', id: String(id) })
    rows.push(forgetFile({ id: String(id), size: Number(size) }))
  }
  return bytes > 0 && excess > 0 ? refuseFiles(path, bytes, use) : { dropped, rows }
}

function refuseFiles(path: string, neededBytes: number, { used, quota }: FileUse): Refusal {
  const message =
    `The files of the organization have ${used} of ${quota} bytes, and these ${neededBytes} more are too many: remove files of ` +
    'knowledge bases, cancel imports that wait, or have an operator of the server raise the quota'
  return violates(path, 'quota', message, { limit: quota, usedBytes: used, neededBytes })
}
