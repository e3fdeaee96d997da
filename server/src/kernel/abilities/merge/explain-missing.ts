import { notFound, Refusal } from '../../errors/index.ts'
import type { Outcome, Request } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { basePath } from '../ability.ts'
import { mergedInto } from './merged-records.ts'

/** The 404 of a record that was merged into another names that one, if it exists (contract sections 8 and 17.29). */
export async function explainMissing(
  outcome: Outcome | Refusal,
  request: Request,
  services: Services,
): Promise<Outcome | Refusal> {
  const { id } = request.path
  if (!(outcome instanceof Refusal) || outcome.code !== 'not_found' || id === undefined) return outcome
  const resource = services.resources.find(each => request.operation.path.startsWith(`${basePath(each)}/{id}`))
  // With a path it is something else in the request that is missing.
  if (resource === undefined || outcome.details.path !== undefined) return outcome
  const mergedIntoId = (await mergedInto(resource, [id], request, services)).get(id)
  return mergedIntoId === undefined ? outcome : notFound(undefined, { mergedIntoId })
}
