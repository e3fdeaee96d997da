import type { BodyDeclaration } from '../../input/index.ts'
import { expectedVersionSchema } from '../../record/index.ts'
import {
  compileSchema,
  duplicateLiterals,
  isObject,
  listSchema,
  objectSchema,
  optionalTextSchema,
  uuidSchema,
} from '../../schema/index.ts'

const mostTags = 100
const schema = {
  type: 'object',
  required: ['expectedVersion', 'tags'],
  properties: {
    expectedVersion: expectedVersionSchema,
    tags: {
      type: 'array',
      maxItems: mostTags,
      items: { $ref: 'Reference' },
      documented: { uniqueItems: true },
      description: 'All tags that the record is to have, by id or by your externalId of the tag; [] takes all away.',
      example: [{ externalId: 'vip' }],
    },
  },
  additionalProperties: false,
}
const check = compileSchema(schema)

/** The body of a replacement. */
export const replacement: BodyDeclaration = {
  name: 'TagsReplace',
  schema,
  required: true,
  parse(body) {
    const issues = check(body, '')
    if (issues.length === 0 && isObject(body)) issues.push(...duplicateLiterals(body.tags, '/tags'))
    return { value: body, issues }
  },
}

/** A tag in answers (contract section 6.5). */
export const tagSchema = {
  title: 'Tag',
  type: 'object',
  required: ['id', 'externalId', 'name', 'color', 'kinds', 'createdAt'],
  properties: {
    // The same id as in the `tagIds` of example records.
    id: { ...uuidSchema, example: '019bd1c8-7c40-7afd-86bb-3e1518eaef8d' },
    externalId: { type: ['string', 'null'], description: 'Your own key for the tag.', example: 'vip' },
    name: { type: 'string', maxLength: 100, example: 'Key account' },
    color: optionalTextSchema('How it is shown: red, green and blue in hexadecimal.', '#2F80ED'),
    kinds: listSchema({ type: 'string' }, 'Kinds of records that can carry it.', ['contact', 'company']),
    createdAt: { type: 'string', format: 'date-time' },
  },
  additionalProperties: false,
}

export const tagsMeta = objectSchema('TagsMeta', {
  version: { type: 'integer', minimum: 1, description: 'The version of the record.' },
})
