import type { FileName } from './files/index.ts'
import type { Request } from './operation.ts'
import type { Services } from './services.ts'

/**
 * Removes the bytes of files that a committed change has dropped. It never throws, because the change stands whatever the store does:
 * a failure goes to the log, and what the store keeps is swept within two hours.
 */
export async function discardDropped(
  dropped: readonly FileName[],
  { operation }: Pick<Request, 'operation'>,
  services: Pick<Services, 'files' | 'onFailure'>,
): Promise<void> {
  await services.files.discard(dropped).catch(error => services.onFailure(error, { operation: operation.id }))
}
