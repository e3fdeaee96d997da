import type { Issue } from '../../errors/index.ts'
import type { BodyDeclaration } from '../../input/index.ts'
import type { Resource } from '../../record/index.ts'
import {
  compileSchema,
  exampleExternalId,
  isObject,
  type JsonObject,
  type JsonSchema,
  pointer,
  type Reference,
  type SchemaCheck,
  uuidSchema,
} from '../../schema/index.ts'
import type { AskedSide } from './merge-pair.ts'
import { isMergedField, mergedFields, type Side, sides } from './merged-fields.ts'

const primaryId = { ...uuidSchema, description: 'The record that stays.' }
const secondaryId = { ...uuidSchema, description: 'The record that goes into it.' }
const versionOf = (side: string) => ({
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  example: 1,
  description: `The version that the ${side} record must have, such as that of the preview.`,
})

/** The body of a preview: two ids, or two references. */
export function previewInput({ title }: Resource): BodyDeclaration {
  const byId = {
    type: 'object',
    required: ['primaryId', 'secondaryId'],
    properties: { primaryId, secondaryId },
    additionalProperties: false,
  }
  const byReference = {
    type: 'object',
    required: ['primary', 'secondary'],
    properties: { primary: { $ref: 'Reference' }, secondary: { $ref: 'Reference' } },
    additionalProperties: false,
  }
  const [ids, references] = [compileSchema(byId), compileSchema(byReference)]
  const isReferring = (body: unknown) => isObject(body) && ('primary' in body || 'secondary' in body)
  return {
    name: `${title}MergePreviewRequest`,
    // One type for both forms: each member requires the other of its pair, and there is exactly one pair.
    schema: {
      type: 'object',
      properties: { ...byId.properties, ...byReference.properties },
      dependentRequired: {
        primaryId: ['secondaryId'],
        secondaryId: ['primaryId'],
        primary: ['secondary'],
        secondary: ['primary'],
      },
      minProperties: 2,
      maxProperties: 2,
      description: 'Two ids, or two references.',
      additionalProperties: false,
    },
    required: true,
    example: { primary: { externalId: exampleExternalId }, secondary: { externalId: 'A-1043' } },
    parse: body => ({ value: body, issues: (isReferring(body) ? references : ids)(body, '') }),
  }
}

/** The body of a commit: the two records, their expected versions, and the winning side of each conflict. */
export function commitInput(resource: Resource): BodyDeclaration {
  const schema: JsonSchema = {
    type: 'object',
    required: ['primaryId', 'secondaryId', 'expectedPrimaryVersion', 'expectedSecondaryVersion', 'fieldResolutions'],
    properties: {
      primaryId,
      secondaryId,
      expectedPrimaryVersion: versionOf('primary'),
      expectedSecondaryVersion: versionOf('secondary'),
      fieldResolutions: {
        type: 'object',
        additionalProperties: { component: 'MergeChoice', type: 'string', enum: sides },
        documented: { propertyNames: { pattern: namePattern(resource) } },
        description: 'For each of requiredResolutions of the preview, the side whose value stays.',
        example: {},
      },
      externalIdConflictResolution: {
        component: 'ExternalIdConflictResolution',
        type: 'string',
        enum: ['keep_primary'],
        description: 'Where both have a key of yours: that of the secondary becomes a tombstone.',
      },
    },
    additionalProperties: false,
  }
  const check: SchemaCheck = compileSchema(schema)
  return {
    name: `${resource.title}MergeCommit`,
    schema,
    required: true,
    parse: body => ({ value: body, issues: [...check(body, ''), ...unknownFields(resource, body)] }),
  }
}

/** The possible names of resolutions, as a pattern. */
function namePattern(resource: Resource): string {
  const names = mergedFields(resource).map(([name, { merge }]) =>
    merge?.memberPattern === undefined ? name : `${name}\\.(${merge.memberPattern})`,
  )
  return `^(${names.join('|')})$`
}

function unknownFields(resource: Resource, body: unknown): Issue[] {
  return Object.keys(resolutionsIn(body))
    .filter(name => !isMergedField(resource, name))
    .map(name => ({
      path: `/fieldResolutions/${pointer(name)}`,
      rule: 'unknown_field',
      message: 'No such field of the preview',
    }))
}

/** The chosen side of each conflict, by the name of the field. */
export function resolutionsIn(body: unknown): JsonObject {
  return isObject(body) && isObject(body.fieldResolutions) ? body.fieldResolutions : {}
}

/** One side of a checked body: `primaryId`, or the reference `primary`. */
export function sideOf(body: unknown, side: Side): AskedSide {
  const given: JsonObject = isObject(body) ? body : {}
  const id = given[`${side}Id`]
  if (typeof id === 'string') return { reference: { id }, path: `/${side}Id` }
  return { reference: referenceIn(given[side]), path: `/${side}` }
}

function referenceIn(value: unknown): Reference {
  if (isObject(value) && typeof value.externalId === 'string') return { externalId: value.externalId }
  return { id: isObject(value) ? String(value.id) : '' }
}
