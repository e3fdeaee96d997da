import type { Resource } from '../../record/resource.ts'
import { type JsonSchema, uuidSchema } from '../../schema/index.ts'
import { recordSchema } from '../ability.ts'
import { blockerSchema } from '../referrers/index.ts'
import { fieldOutcomes } from './merged-fields.ts'

const count = { type: 'integer', minimum: 0 }
const key = { type: ['string', 'null'], maxLength: 200 }

/** Values have any type, because fields have. A protected field has none: its values are left out. */
const fieldSchema = {
  title: 'MergedField',
  type: 'object',
  required: ['field', 'outcome'],
  properties: {
    field: { type: 'string', examples: ['source', 'contactData.phones', 'customFields.region'] },
    primaryValue: { description: 'Absent where the token may not read it.', examples: [null] },
    secondaryValue: { description: 'Absent where the token may not read it.', examples: ['website'] },
    outcome: {
      component: 'MergeOutcome',
      type: 'string',
      enum: [...fieldOutcomes, 'hidden'],
      description: 'hidden where the token may not read the field, whatever its values are.',
      examples: ['secondary'],
    },
    redacted: { type: 'boolean', description: 'Only there where the values are not, and true.' },
  },
  example: { field: 'source', primaryValue: null, secondaryValue: 'website', outcome: 'secondary' },
}

const previewMembers = ['primary', 'secondary', 'fields', 'requiredResolutions', 'requiredScopes'].concat([
  'links',
  'externalIdConflict',
  'otherApplications',
  'blockers',
])

/** JSON Schema of `data` of a merge preview. */
export function previewSchema({ title }: Resource): JsonSchema {
  const head = {
    component: 'MergeSide',
    type: 'object',
    required: ['id', 'externalId', 'version', 'displayName'],
    properties: {
      id: uuidSchema,
      externalId: key,
      version: { type: 'integer', minimum: 1 },
      displayName: { type: ['string', 'null'] },
    },
  }
  const links = {
    component: 'MergedLinks',
    type: 'object',
    required: ['primary', 'secondary', 'merged'],
    properties: { primary: count, secondary: count, merged: count },
  }
  return {
    title: `${title}MergePreview`,
    type: 'object',
    required: previewMembers,
    properties: {
      primary: head,
      secondary: head,
      fields: { type: 'array', items: fieldSchema },
      requiredResolutions: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Fields for which the commit has to name a side: those of outcome conflict, and those of outcome hidden that ' +
          'have one value, whether or not the records differ there.',
      },
      requiredScopes: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Scopes that the commit needs beside those of its route: the write scopes of protected values that it would ' +
          'change, and of those that the token may not read.',
        examples: [[]],
      },
      links: {
        type: 'object',
        description: 'By kind, how many refer to either record, and how many will to the primary.',
        additionalProperties: links,
        examples: [{ deals: { primary: 2, secondary: 1, merged: 3 } }],
      },
      externalIdConflict: { type: 'boolean', description: 'Whether both have a key of your application.' },
      otherApplications: {
        component: 'OtherApplicationsKeys',
        type: 'object',
        description: 'Keys of other applications: those that move, and those that become tombstones.',
        required: ['moved', 'conflicts'],
        properties: { moved: count, conflicts: count },
      },
      blockers: { type: 'array', items: blockerSchema, examples: [[]] },
    },
  }
}

/** JSON Schema of `data` of a merge commit. */
export function mergedSchema(resource: Resource): JsonSchema {
  return {
    title: `${resource.title}Merge`,
    type: 'object',
    required: ['primary', 'secondaryId', 'movedExternalId', 'tombstonedExternalId', 'moved'],
    properties: {
      primary: recordSchema(resource),
      secondaryId: uuidSchema,
      movedExternalId: { ...key, description: 'Your key of the secondary, which addresses the primary now.' },
      tombstonedExternalId: { ...key, description: 'Your key of the secondary, which answers 410 now.' },
      moved: {
        type: 'object',
        description: 'By kind, how many were led to the primary; tags for who may read them.',
        additionalProperties: count,
        examples: [{ deals: 1, tags: 0 }],
      },
    },
  }
}
