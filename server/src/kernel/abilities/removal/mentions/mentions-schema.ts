import { booleanSchema, listSchema, objectSchema, uuidSchema } from '../../../schema/index.ts'
import { mostMegabytes, mostMentions, mostRecords } from './mentions-statement.ts'

const resourceType = { type: 'string', description: 'Kind of the record.', examples: ['deal_activity'] }

const mentionSchema = objectSchema('Mention', {
  resourceType,
  id: { ...uuidSchema, description: 'The record; of a company_contact the contact that it links.' },
  field: { type: 'string', description: 'The field with the text.', examples: ['body'] },
  within: {
    component: 'MentionOwner',
    type: ['object', 'null'],
    description: 'The record that it belongs to; null of one that stands alone.',
    required: ['resourceType', 'id'],
    properties: { resourceType: { ...resourceType, examples: ['deal'] }, id: uuidSchema },
  },
})

const searchedSchema = objectSchema('MentionsSearched', {
  resourceType,
  complete: booleanSchema(
    'Whether all records of the kind were looked through; where the database is busy, none may be.',
    true,
  ),
})

/** JSON Schemas of the members of a preview about mentions. */
export const mentionsSchemas = {
  mentions: {
    type: 'array',
    maxItems: mostMentions,
    items: mentionSchema,
    description: [
      'Free text of other records that holds the full name, an e-mail or a phone of the person literally, in any case,',
      'for somebody to look at: an erasure leaves it as it is. Looked through are the kinds that the token may read, of',
      `each the newest ${mostRecords.toLocaleString('en')} records, up to ${mostMegabytes} MB of text; for e-mails and`,
      'phones the token needs crm_contact_data_read.',
    ].join(' '),
  },
  mentionsCount: { type: 'integer', minimum: 0, description: 'How many of these records mention the person.' },
  mentionsTruncated: booleanSchema(
    `Whether there may be more: more than ${mostMentions} mentions, or records that were not looked through.`,
  ),
  mentionsSearched: listSchema(
    searchedSchema,
    'The kinds that were looked through; none where there is nothing of three characters to look for.',
  ),
}
