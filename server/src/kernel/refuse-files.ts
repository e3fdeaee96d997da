import type { Refusal } from './errors/index.ts'
import { bounds } from './limits/index.ts'
import type { Services } from './services.ts'

/**
 * 503 where files would take the room that rows need: a volume has reached its reserve with so many bytes more, or the database had
 * no room a moment ago (contract section 14).
 */
export async function refuseFiles(
  { admission, diskReserve, diskSpace }: Pick<Services, 'admission' | 'diskReserve' | 'diskSpace'>,
  bytes = 0,
): Promise<Refusal | null> {
  if (diskSpace.wasFull(bounds.fullDatabase.most)) return admission.refuse('fullDatabase', noRoom('The database'))
  await diskReserve.look()
  return diskReserve.isReached(bytes) ? refuseReached(admission) : null
}

/** The same by what was seen of the volumes last. */
export function refuseReached(admission: Services['admission']): Refusal {
  return admission.refuse('diskReserve', noRoom('A disk of the server'))
}

const noRoom = (what: string) =>
  `${what} has little room left, which is kept for records: files are not taken now, and this request was not executed: try again later`
