import { Overloaded } from '../admission/index.ts'
import { type Refusal, refuse } from '../errors/index.ts'
import { FileStoreFailure } from '../files/index.ts'
import { type Call, ClientGone } from '../input/call.ts'
import type { Operation } from '../operation.ts'
import type { Services } from '../services.ts'
import { CommitUncertain, failureOf } from '../sql/index.ts'

/**
 * Gate 17: what the client gets after an internal error: 503 if nothing was executed and a retry helps, else 500 (contract section 14).
 * The cause goes to the log.
 */
export function explainFailure(
  error: unknown,
  operation: Pick<Operation, 'id'>,
  call: Call,
  services: Services,
): Refusal {
  if (error instanceof ClientGone) return refuse('internal_error')
  // An overload is counted and not logged, because clients must not be able to fill the log.
  if (error instanceof Overloaded) return services.admission.refuse(error.bound)
  services.diskSpace.note(error)
  const canBeRepeated = error instanceof FileStoreFailure || hasNoRoom(error) || failureOf(error) !== 'broken'
  const busy = !(error instanceof CommitUncertain) && canBeRepeated
  services.onFailure(error, { operation: operation.id, requestId: call.requestId, busy })
  return refuse(busy ? 'service_unavailable' : 'internal_error')
}

/** Whether the disk that holds the files of requests is full. */
function hasNoRoom(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error && noRoom.has(error.code)
}

const noRoom: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
