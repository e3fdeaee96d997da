import { Refusal, refuse, versionConflict } from '../errors/index.ts'
import type { RecordState, Resource, WriteContext } from '../record/index.ts'
import type { JsonObject } from '../schema/index.ts'
import { decideCreate, decideUpdate, type Step } from './decide.ts'
import { resolveReferences } from './references.ts'
import type { WorkingSet } from './working-set.ts'

/** Gates 10 to 15 for an upsert: a create, or an update that must name the version unless it overwrites. */
export function decideUpsert(
  resource: Resource,
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
  overwrites = false,
): Step | Refusal {
  const mapping = work.key(resource.kind, String(input.externalId))
  if (mapping?.state === 'live') {
    const before = work.record(resource.kind, mapping.resourceId)
    if (overwrites && before !== null) return decideOverwrite(resource, before, input, base, work, write)
    if (input.expectedVersion !== undefined || before === null) {
      return decideUpdate(resource, mapping.resourceId, input, base, work, write)
    }
    const links = resolveReferences(resource, input, work, base, before)
    if (links instanceof Refusal) return links
    return refuse('precondition_required', { currentVersion: before.version })
  }
  if (mapping === null && input.expectedVersion !== undefined) {
    const links = resolveReferences(resource, input, work, base, null)
    return links instanceof Refusal ? links : versionConflict(null)
  }
  return decideCreate(resource, input, base, work, write)
}

/** The change of an upsert that takes the record at whatever version it has. */
function decideOverwrite(
  resource: Resource,
  before: RecordState,
  input: JsonObject,
  base: string,
  work: WorkingSet,
  write: WriteContext,
): Step | Refusal {
  const step = decideUpdate(resource, before.id, { ...input, expectedVersion: before.version }, base, work, write)
  if (step instanceof Refusal || step.effect === null) return step
  return { ...step, effect: { ...step.effect, overwrites: true } }
}
