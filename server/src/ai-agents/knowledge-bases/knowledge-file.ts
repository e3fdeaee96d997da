import type { ForgottenFile } from '../../kernel/files/index.ts'
import { defineNested, type RecordState } from '../../kernel/index.ts'
import { computed, counted, type Field, textSchema, wordSchema } from '../../kernel/schema/index.ts'
import { knowledgeBase } from './knowledge-base.ts'
import { knowledgeBounds } from './knowledge-bounds.ts'

const statuses = ['queued', 'indexing', 'ready', 'failed'] as const

/** Why a file could not be read: a code, and what to do about it. */
interface Failure {
  readonly code: string
  readonly message: string
}

/** The id of the stored file. Each new content gets a new one. */
const contentId: Field<string> = { column: 'uuid', output: {}, initial: '' }

/** A file of a knowledge base; the client chooses its id (contract section 13.1). */
export const knowledgeFile = defineNested({
  kind: 'knowledge_file',
  plural: 'files',
  title: 'KnowledgeFile',
  table: 'knowledge_files',
  parent: knowledgeBase,
  parentMember: 'knowledgeBaseId',
  parentParameter: 'kbId',
  idParameter: 'fileId',
  hasChosenIds: true,
  part: 'files',
  most: knowledgeBounds.knowledgeFiles.most,
  countedIn: 'filesCount',
  order: { field: 'createdAt', direction: 'desc' },
  fields: {
    name: computed('', {
      column: 'text',
      schema: { type: 'string', maxLength: 255 },
      description: 'The name that it was sent with, without folders and invisible characters.',
      example: 'returns-policy.pdf',
    }),
    mimeType: computed('', {
      column: 'text',
      schema: { type: 'string' },
      description: 'What the bytes look like. The ending of the name only tells Markdown and CSV from other texts.',
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
    status: counted<(typeof statuses)[number]>('queued', {
      column: 'text',
      schema: wordSchema('KnowledgeFileStatus', statuses, 'Agents find what stands in a file when it is `ready`.'),
    }),
    error: counted<Failure | null>(null, {
      column: 'jsonb',
      schema: {
        component: 'KnowledgeFileError',
        type: ['object', 'null'],
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'Why, for programs.', example: 'protected' },
          message: textSchema('Why, and what to do, for people.', 'The file has a password: upload it without one'),
        },
        description: 'Why the file could not be read, and what to do; null unless `status` is `failed`.',
      },
    }),
    contentId,
  },
})

/** The stored file that the record refers to now. */
export function contentOf({ contentId, sizeBytes }: RecordState): ForgottenFile {
  return { id: String(contentId), size: Number(sizeBytes) }
}
