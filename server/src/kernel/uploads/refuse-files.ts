import type { Admission } from '../admission/index.ts'
import type { Refusal } from '../errors/index.ts'
import type { DiskReserve } from '../files/index.ts'
import { bounds } from '../limits/index.ts'
import type { DiskSpace } from '../sql/index.ts'

/** The services that know the free space on the disks of an installation. */
export interface DiskServices {
  readonly admission: Admission
  readonly diskReserve: DiskReserve
  readonly diskSpace: DiskSpace
}

/**
 * 503 if files would take the space that rows need: a volume has reached its reserve, or the database recently had no space (contract
 * section 14).
 */
export async function refuseFiles({ admission, diskReserve, diskSpace }: DiskServices): Promise<Refusal | null> {
  if (diskSpace.wasFull(bounds.fullDatabase.most)) return admission.refuse('fullDatabase', noRoom('The database'))
  await diskReserve.look()
  return refuseBytes(0, { admission, diskReserve })
}

/** 503 if this many more bytes would reach the reserve of a volume, by the last measurement. */
export function refuseBytes(
  bytes: number,
  { admission, diskReserve }: Pick<DiskServices, 'admission' | 'diskReserve'>,
): Refusal | null {
  return diskReserve.isReached(bytes) ? admission.refuse('diskReserve', noRoom('A disk of the server')) : null
}

const noRoom = (what: string) =>
  `${what} has little room left, which is kept for records: files are not taken now, and this request was not executed: try again later`
