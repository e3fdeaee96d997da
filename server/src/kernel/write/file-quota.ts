import { type Refusal, violates } from '../errors/index.ts'
import { type FileName, forgetFile } from '../files/index.ts'
import { Lookup, type RowChange } from '../record/index.ts'
import { claimedStatement } from '../sql/index.ts'
import type { Needs } from './needs.ts'

// The oldest exports are read only if there is no room without removing them.
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

/** The size of an organization's files and their quota, in bytes, and the oldest exports that could be removed to make room. */
interface FileUse {
  readonly used: number
  readonly quota: number
  readonly exports: readonly { readonly id: string; readonly size: number }[]
}

/**
 * The use of the file quota, for a write that adds this many bytes. Transactions that add files wait for each other, because they need the
 * quota `toAdd`.
 */
export function fileUse(bytes: number): Lookup<FileUse> {
  return new Lookup(selectUse, [bytes], rows => ({
    used: Number(rows[0]?.used),
    quota: Number(rows[0]?.quota),
    exports: rows.flatMap(({ id, size }) => (id === null ? [] : [{ id: String(id), size: Number(size) }])),
  }))
}

/** Needs the use of the quota, and the lock for adding to it. */
export function needFileUse(needs: Needs, use: Lookup<FileUse>): void {
  needs.toAdd({ kind: 'file' })
  needs.toLoad(use)
}

/** The exports to remove to make room for files, the oldest first. */
export interface FileRoom {
  readonly dropped: readonly FileName[]
  readonly rows: readonly RowChange[]
}

/**
 * Makes room for this many bytes, at most as many as the look-up was made for. 422 at the path if the quota has no room for them even
 * after the removal of all exports (contract section 14).
 */
export function fileRoom(path: string, bytes: number, organizationId: string, use: FileUse): FileRoom | Refusal {
  const dropped: FileName[] = []
  const rows: RowChange[] = []
  let excess = use.used + bytes - use.quota
  for (const { id, size } of use.exports) {
    if (excess <= 0) break
    excess -= size
    dropped.push({ organizationId, purpose: 'export', id })
    rows.push(forgetFile({ id, size }))
  }
  return bytes > 0 && excess > 0 ? refuseFiles(path, bytes, use) : { dropped, rows }
}

function refuseFiles(path: string, neededBytes: number, { used, quota }: FileUse): Refusal {
  const message =
    `The files of the organization have ${used} of ${quota} bytes, and these ${neededBytes} more are too many: remove files of ` +
    'knowledge bases, cancel imports that wait, or have an operator of the server raise the quota'
  return violates(path, 'quota', message, { limit: quota, usedBytes: used, neededBytes })
}
