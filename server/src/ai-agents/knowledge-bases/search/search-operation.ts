import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  limitParameter,
  notFound,
  textParameter,
} from '../../../kernel/index.ts'
import { listSchema, textSchema, uuidSchema } from '../../../kernel/schema/index.ts'
import { findPassages } from './find-passages.ts'

/** `GET …/knowledge-bases/{id}/passages`: what an agent would be told for a question. */
export const searchKnowledge = defineOperation({
  conventions: cabinetConventions,
  id: 'knowledgeBases.search',
  method: 'GET',
  path: cabinetPath('/knowledge-bases/{id}/passages'),
  summary: 'Find the passages of a knowledge base that fit a question best',
  scopes: ['ai_knowledge_read'],
  query: {
    question: { ...textParameter(400, 'A question, or words of it', 'How long is the warranty?'), required: true },
    limit: limitParameter(50, 5),
  },
  refuses: [['not_found', 'There is no such knowledge base.']],
  answer: {
    data: listSchema({
      component: 'FoundPassage',
      type: 'object',
      required: ['fileId', 'fileName', 'text', 'heading', 'page', 'sheet', 'row', 'position', 'score'],
      properties: {
        fileId: uuidSchema,
        fileName: textSchema('The name of the file.', 'warranty.pdf'),
        text: textSchema('The passage.', 'The warranty ends after two years.'),
        heading: textSchema('The headings above it.', 'Warranty'),
        page: { type: ['integer', 'null'], description: 'Its page; null if the file has none.' },
        sheet: { type: ['string', 'null'], description: 'Its sheet; null if the file has none.' },
        row: { type: ['integer', 'null'], description: 'Its row in a table; null if it is in none.' },
        position: { type: 'integer', description: 'Its number among the passages of the file, from 0.' },
        score: { type: 'number', description: 'The higher, the better; comparable for one question alone.' },
      },
    }),
  },
  async execute({ caller, path: { id = '' }, query, reader }, { database }) {
    const { question, limit = 5 } = query
    const asked = { organizationId: caller.organization.id, baseId: id, question: String(question), reader }
    const passages = await findPassages({ ...asked, limit: Number(limit) }, { database })
    return passages === null ? notFound() : { status: 200, data: passages, meta: {} }
  },
})
