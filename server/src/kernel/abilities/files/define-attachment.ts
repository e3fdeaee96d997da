import { defineNested, type Nested, type Resource } from '../../record/index.ts'
import { computed, type Field, namesById, optionalUuidSchema } from '../../schema/index.ts'

/** The most files of one record. */
const mostFiles = 1000

/** A member that exists only in answers: each answer gets newly signed links. */
const ofAnswers = (schema: Field['output'] & object, description: string): Field<null> => ({
  output: schema,
  description,
  initial: null,
  present: () => ({}),
})

/** What an attachment copies from its file, and who attached it (contract section 6.8). */
const attachmentFields = {
  name: computed('', {
    column: 'text',
    schema: { type: 'string', maxLength: 255 },
    description: 'The name that it was sent with, without folders and invisible characters.',
    example: 'Offer.pdf',
  }),
  mimeType: computed('', {
    column: 'text',
    schema: { type: 'string' },
    description: 'What the bytes look like; what was sent as the type is not trusted.',
    example: 'application/pdf',
  }),
  sizeBytes: computed(0, {
    column: 'integer',
    schema: { type: 'integer', minimum: 0 },
    description: 'How many bytes it has.',
    example: 48_213,
  }),
  sha256: computed('', {
    column: 'text',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    description: 'SHA-256 of the bytes, in hexadecimal.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  }),
  url: ofAnswers(
    { '': { type: 'string', pattern: '^https?://', example: 'https://crm.example.com/files/AZvRyHxA' } },
    'A link to the bytes, which needs no token and ends with that of the request.',
  ),
  urlExpiresInSeconds: ofAnswers(
    { '': { type: 'integer', minimum: 1, example: 3600 } },
    'How long the link is good: an hour, or what is left of the token if that is less.',
  ),
  createdByUuid: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: { operator: namesById },
    schema: optionalUuidSchema,
    projection: 'operators',
    description: 'The operator who attached it.',
  }),
  applicationId: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: { application: namesById },
    schema: optionalUuidSchema,
    description: 'The application through which it was attached.',
  }),
}

/**
 * Declares that records of a kind have files. An attachment has the id of its file. With `ownsFile` the file is removed with its attachment;
 * otherwise it stays in storage.
 */
export function defineAttachment(parent: Resource, table: string, { ownsFile }: { ownsFile?: true } = {}): Nested {
  return defineNested({
    kind: `${parent.kind}_file`,
    plural: 'files',
    title: `${parent.title}File`,
    table,
    parent,
    parentMember: `${parent.kind}Id`,
    parentParameter: 'ownerId',
    idParameter: 'fileId',
    part: 'files',
    ...(parent.fields.filesCount === undefined ? {} : { countedIn: 'filesCount' }),
    linkedAs: `${parent.kind}Files`,
    ...(ownsFile === undefined ? {} : { ownsFile }),
    most: mostFiles,
    order: { field: 'createdAt', direction: 'desc' },
    moreScopes: { read: 'crm_files_read', write: 'crm_files_write' },
    fields: attachmentFields,
  })
}
