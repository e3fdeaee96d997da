import type { Resource } from '../../record/index.ts'
import { type JsonSchema, uuidSchema } from '../../schema/index.ts'
import { recordSchema } from '../ability.ts'
import { blockerSchema } from '../referrers/index.ts'
import { fieldOutcomes } from './merged-fields.ts'

const count = { type: 'integer', minimum: 0 }
const key = { type: ['string', 'null'], maxLength: 200 }

/** Values can have any type, because fields do. A protected field has none: its values are left out. */
const fieldSchema = {
  title: 'MergedField',
  type: 'object',
  required: ['field', 'outcome'],
  properties: {
    field: {
      type: 'string',
      description: 'Its name, with the member of contact data or the key of a custom field behind a point.',
      examples: ['source', 'contactData.phones', 'customFields.region'],
    },
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
export function mergePreviewSchema({ title }: Resource): JsonSchema {
  const head = {
    component: 'MergeSide',
    type: 'object',
    required: ['id', 'externalId', 'version', 'displayName'],
    properties: {
      id: uuidSchema,
      externalId: { ...key, description: 'Your own key for it.' },
      version: {
        type: 'integer',
        minimum: 1,
        description: 'Its version now, as `expectedPrimaryVersion` or `expectedSecondaryVersion` of the commit.',
      },
      displayName: { type: ['string', 'null'], description: 'What it is called.' },
    },
  }
  const links = {
    component: 'MergedLinks',
    type: 'object',
    required: ['primary', 'secondary', 'merged'],
    properties: {
      primary: { ...count, description: 'How many refer to the primary record.' },
      secondary: { ...count, description: 'How many refer to the secondary record.' },
      merged: { ...count, description: 'How many will refer to the primary record.' },
    },
  }
  return {
    title: `${title}MergePreview`,
    type: 'object',
    required: previewMembers,
    properties: {
      primary: { ...head, description: 'The record that stays.' },
      secondary: { ...head, description: 'The record that goes into it.' },
      fields: { type: 'array', items: fieldSchema, description: 'The fields of both, and which value stays.' },
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
        properties: {
          moved: { ...count, description: 'Keys that will address the primary record.' },
          conflicts: { ...count, description: 'Keys that become tombstones, because the primary has one.' },
        },
      },
      blockers: { type: 'array', items: blockerSchema, description: 'What forbids the merge.', examples: [[]] },
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
      secondaryId: { ...uuidSchema, description: 'The record that went into it, and is gone.' },
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
