import { notFound, type Refusal } from '../../errors/index.ts'
import type { Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { mergedInto } from './merged-trail.ts'

/** If the record of a 404 was merged, adds the record that it was merged into, if that exists (contract sections 8 and 17.29). */
export async function explainMissing(refusal: Refusal, request: Request, services: Services): Promise<Refusal> {
  const { addresses } = request.operation
  if (refusal.code !== 'not_found' || addresses === undefined) return refusal
  // A 404 with a path is about something else in the request, not about the record in the URL.
  const id = request.path[addresses.parameter]
  if (id === undefined || refusal.details.path !== undefined) return refusal
  const mergedIntoId = (await mergedInto(addresses.resource, [id], request.reader, services.database)).get(id)
  return mergedIntoId === undefined ? refusal : notFound(undefined, { mergedIntoId })
}
