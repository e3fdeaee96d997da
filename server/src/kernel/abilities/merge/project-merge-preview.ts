import type { Caller } from '../../auth/index.ts'
import type { Resource } from '../../record/index.ts'
import type { Projected } from '../../redact/index.ts'
import { isObject, type JsonObject } from '../../schema/index.ts'
import type { MergedPart } from './merged-fields.ts'
import {
  announcedScopes,
  hiddenProjections,
  type PartFacts,
  requiredResolutions,
  type ToldPart,
  toldBlockers,
  toldParts,
} from './visible-parts.ts'

/** A part in its stored form: its values, and the facts that decide how much of it a token may see. */
export function storedPart(part: MergedPart): StoredPart {
  const { field, primaryValue, secondaryValue, outcome, changes, isDeclared, isList } = part
  return { field, primaryValue, secondaryValue, outcome, changes, isDeclared, isList }
}

interface StoredPart extends PartFacts {
  readonly primaryValue: unknown
  readonly secondaryValue: unknown
}

/** The stored preview as this caller may see it. The required resolutions and scopes depend on what the caller may read. */
export function projectMergePreview(resource: Resource, data: unknown, { scopes }: Caller): Projected {
  if (!isObject(data)) return { data, redacted: [] }
  const { primary, secondary, links, externalIdConflict, otherApplications } = data
  const told = toldParts(resource, objectsIn(data.fields).map(readPart), scopes)
  return {
    data: {
      primary,
      secondary,
      fields: told.map(shownPart),
      requiredResolutions: requiredResolutions(told),
      requiredScopes: announcedScopes(resource, told),
      links,
      externalIdConflict,
      otherApplications,
      blockers: toldBlockers(resource, objectsIn(data.blockers), scopes),
    },
    redacted: hiddenProjections(resource, scopes),
  }
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function readPart(stored: JsonObject): StoredPart {
  const { field, primaryValue, secondaryValue, outcome, changes, isDeclared, isList } = stored
  return {
    field: String(field),
    primaryValue,
    secondaryValue,
    outcome: String(outcome),
    changes: changes === true,
    isDeclared: isDeclared === true,
    isList: isList === true,
  }
}

function shownPart({ part, hidden }: ToldPart<StoredPart>): JsonObject {
  const { field, primaryValue, secondaryValue, outcome } = part
  return hidden ? { field, outcome: 'hidden', redacted: true } : { field, primaryValue, secondaryValue, outcome }
}
