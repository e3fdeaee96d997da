import { notFound, Refusal } from './errors/index.ts'
import type { Outcome, Request, StreamedOutcome } from './operation.ts'
import type { Services } from './services.ts'
import { mergedInto } from './write/merged-trail.ts'

/** The 404 of a record that was merged into another names that one, if it exists (contract sections 8 and 17.29). */
export async function explainMissing(
  outcome: Outcome | StreamedOutcome | Refusal,
  request: Request,
  services: Services,
): Promise<Outcome | StreamedOutcome | Refusal> {
  const { addresses } = request.operation
  if (!(outcome instanceof Refusal) || outcome.code !== 'not_found' || addresses === undefined) return outcome
  // With a path it is something else in the request that is missing.
  const id = request.path[addresses.parameter]
  if (id === undefined || outcome.details.path !== undefined) return outcome
  const mergedIntoId = (await mergedInto(addresses.resource, [id], request.reader, services.database)).get(id)
  return mergedIntoId === undefined ? outcome : notFound(undefined, { mergedIntoId })
}
