import type { Resource } from '../record/resource.ts'
import type { Directory, JsonObject } from '../schema/index.ts'
import type { Needs } from './needs.ts'
import { needReferences } from './references.ts'

/** What updating or upserting one record needs: itself, the holder of its key, and what it refers to. */
export function needRecordWrite(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  directory: Directory,
  resources: readonly Resource[],
  id?: string,
): void {
  if (id !== undefined) needs.toChange(resource, { id })
  if (typeof input.externalId === 'string') needs.toChange(resource, { externalId: input.externalId })
  if (id === undefined) return needNewRecord(needs, resource, input, directory, resources)
  needKeyAndReferences(needs, resource, input, resources)
}

/** What a record needs that is not there yet: its key, and what it refers to. */
export function needNewRecord(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  directory: Directory,
  resources: readonly Resource[],
): void {
  needKeyAndReferences(needs, resource, input, resources)
  needs.toLoad(resource.rules.needs?.(input, directory) ?? [])
}

function needKeyAndReferences(
  needs: Needs,
  resource: Resource,
  input: JsonObject,
  resources: readonly Resource[],
): void {
  if (typeof input.externalId === 'string') needs.toCreate(resource.kind, input.externalId)
  needReferences(needs, resource, input, resources)
}
