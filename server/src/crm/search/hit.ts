import { type Resource, termOf } from '../../kernel/index.ts'
import {
  booleanSchema,
  isObject,
  type JsonSchema,
  listSchema,
  objectSchema,
  optionalTextSchema,
  type PresentContext,
  searchForm,
  uuidSchema,
  wordSchema,
} from '../../kernel/schema/index.ts'
import type { FoundRow } from './find.sql.ts'
import { hitTextsOf, isMatched } from './hit-texts.ts'
import type { LikelyWord } from './similar-words.ts'
import { isOfPartial, ranks, type SearchedKind } from './statement-parts.ts'

/** The context of a hit besides its row: the terms, the searched texts, and the caller. */
export interface Looked {
  readonly q: string
  readonly kinds: readonly SearchedKind[]
  /** Words that were not found as typed, with the similar words. */
  readonly words: readonly LikelyWord[]
  readonly context: PresentContext
}

/** A hit as answers show it, limited to the texts that this token may search. */
export function toHit(row: FoundRow, { q, kinds, words, context }: Looked) {
  const { kind, id, updated_at: updatedAt, record } = row
  const searched = kinds.find(({ resource }) => resource.kind === kind)
  if (searched === undefined) throw new Error('the search has returned a record of a kind that it does not cover')
  const { resource, texts, others } = searched
  const single = isOfPartial(row.rank) ? words.map(({ word }) => word) : []
  const terms = [...searched.terms, ...[...others, ...single].map(termOf)]
  const title = shown(resource, resource.hit.title, record, context) ?? ''
  const matched = hitTextsOf(resource, texts, record).filter(text => isMatched(text, terms, words))
  const elsewhere = matched.find(({ text }) => !title.includes(text))
  const isKeyed = row.rank === ranks.key
  const wanted = terms.flatMap(term => [...term.words, term.reached])
  return {
    type: kind,
    id,
    externalId: record.externalId ?? null,
    title,
    subtitle: resource.hit.subtitle === null ? null : shown(resource, resource.hit.subtitle, record, context),
    matchedFields: [...new Set([...(isKeyed ? ['externalId'] : []), ...matched.map(({ field }) => field)])],
    snippet: isKeyed ? q.trim() : elsewhere === undefined ? null : snippetOf(elsewhere.text, wanted),
    updatedAt,
    ...(texts.contactData ? { contactData: reachable(record) } : {}),
  }
}

/** The text of a field, as the record itself shows it. */
function shown(
  { fields }: Resource,
  name: string,
  record: Readonly<Record<string, unknown>>,
  context: PresentContext,
): string | null {
  const value = fields[name]?.present?.(record[name], record, context)[''] ?? record[name]
  return typeof value === 'string' ? value : null
}

function reachable({ contactData }: Readonly<Record<string, unknown>>) {
  const { phones = [], emails = [] } = isObject(contactData) ? contactData : {}
  return { phones, emails }
}

/** The schema of a hit of these kinds of records. */
export function hitSchema(resources: readonly Resource[]): JsonSchema {
  return {
    title: 'SearchHit',
    type: 'object',
    required: ['type', 'id', 'externalId', 'title', 'subtitle', 'matchedFields', 'snippet', 'updatedAt'],
    properties: {
      type: wordSchema(
        'ResourceType',
        resources.map(({ kind }) => kind),
        'The kind of the record.',
      ),
      id: uuidSchema,
      externalId: { type: ['string', 'null'], description: 'Your own key for it.' },
      title: { type: 'string', examples: ['Petrova Anna'] },
      subtitle: optionalTextSchema(
        'What tells it from others of the same title: job, industry or status.',
        'Head of purchasing',
      ),
      matchedFields: listSchema(
        { type: 'string' },
        'Where something stands that was looked for: members of the record, with `customFields.` before a key, and ' +
          '`companies` for the name of a company that the record is linked with.',
        ['lastName', 'contactData.emails'],
      ),
      snippet: optionalTextSchema(
        'A part of the first matched text that the title does not show; null when there is none.',
        'anna.petrova@example.com',
      ),
      updatedAt: { type: 'string', format: 'date-time' },
      contactData: {
        component: 'SearchHitContactData',
        type: 'object',
        required: ['phones', 'emails'],
        description: 'Of contacts and companies. Absent without `crm_contact_data_read`.',
        properties: { phones: listOf(resources, 'phones'), emails: listOf(resources, 'emails') },
      },
    },
    additionalProperties: false,
  }
}

/** The schema of a list of contact data, as records have it. */
function listOf(resources: readonly Resource[], name: string): unknown {
  const schemas = resources.map(({ fields }) => fields.contactData?.output?.['']?.properties).filter(isObject)
  return schemas[0]?.[name] ?? { type: 'array' }
}

export const searchMeta = objectSchema('SearchMeta', {
  nextCursor: { type: ['string', 'null'], description: 'null on the last page' },
  truncated: booleanSchema(
    'Whether there are more candidates than are ranked, so that hits may be missing; more words find them',
  ),
})

const most = 160

/** An excerpt of a text around the first match of the words, which are normalized for comparison. */
function snippetOf(text: string, words: readonly string[]): string {
  const all = text.trim().split(/\s+/u)
  // Each word is normalized once: a text can have thousands of words, and a search dozens of terms.
  const stands = (form: string) => words.some(wanted => form.includes(wanted))
  const found = all.findIndex(word => stands(searchForm(word)))
  const place = Math.max(0, found)
  let [from, to] = [place, place + 1]
  const fits = (first: number, behind: number) => [...all.slice(first, behind).join(' ')].length <= most
  while (to < all.length && fits(from, to + 1)) to += 1
  while (from > 0 && fits(from - 1, to)) from -= 1
  const shown = [...all.slice(from, to).join(' ')].slice(0, most).join('')
  return `${from > 0 ? '… ' : ''}${shown}${to < all.length || shown.length < all.slice(from, to).join(' ').length ? ' …' : ''}`
}
