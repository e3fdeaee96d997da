import {
  type Caller,
  cursorParameter,
  type DividedWords,
  defineOperation,
  divideWords,
  isNumber,
  limitParameter,
  limits,
  mayRead,
  type NewestTexts,
  newestTextsStatement,
  type Operation,
  Refusal,
  type Resource,
  readPosition,
  recordsWithKey,
  searchParameter,
  searchTerms,
  standsIn,
  termOf,
  wordsParameter,
} from '../../kernel/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'
import { type Find, findRows, isFound } from './find-rows.ts'
import { newestOf } from './frequency.ts'
import { hitSchema, searchMeta, toHit } from './hit.ts'
import { likelyWords } from './similar-words.ts'
import { isOfSimilar, type Position, type SearchedKind } from './statement-parts.ts'

/** `GET /search`: searches records of all kinds for a few words, the best match first (contract section 12). */
export function searchOperation(resources: readonly Resource[]): Operation {
  return defineOperation({
    id: 'search.query',
    method: 'GET',
    path: '/api/v1/crm/search',
    summary: 'Search contacts, companies, deals and tasks',
    description:
      'Records come first in which every word of q stands in the names or the title, in phones or e-mails (`crm_contact_data_read`), or in custom ' +
      'fields (`crm_custom_fields_read`). Whole words come first, then beginnings of words, then parts of them; where these ' +
      'do not fill a page, names follow that are like it but for a mistake in typing or the other script, and then records ' +
      'with only some of the words, also in the job title, the industry or the names of their companies. Within each the ' +
      'latest change comes first.',
    scopes: ['crm_search'],
    query: {
      q: {
        ...searchParameter(limits.searchQueryMin, limits.searchQueryMax, 'Words to look for', 'petrova'),
        required: true,
      },
      types: wordsParameter(
        'ResourceType',
        resources.map(({ kind }) => kind),
        'Kinds of records, all readable ones unless given',
      ),
      cursor: cursorParameter(),
      limit: limitParameter(limits.searchMax, limits.searchDefault),
    },
    answer: { data: { type: 'array', items: hitSchema(resources) }, meta: searchMeta },
    project: (data, caller) => ({ data, redacted: hiddenFrom(resources, caller) }),
    async execute(request, services) {
      const { caller, query, reader } = request
      const { database, clock } = services
      const { cursor: _, limit: most = limits.searchDefault, ...filters } = query
      const limit = Number(most)
      const begin = readPosition(request, services, filters)
      if (begin instanceof Refusal) return begin
      const { after: from, cursorTo } = begin
      const after = from === null ? null : toPosition(from)
      const q = String(query.q)
      const looked = lookedAt(resources, query.types, caller)
      const companies =
        resources.find(({ kind, scopes }) => kind === 'company' && caller.scopes.has(scopes.read)) ?? null

      // The newest records show which terms are frequent. They are read only where that matters: for several terms, for short ones, for
      // misspelled words, and if there are more words than the search uses.
      let sampled: Promise<NewestTexts[]> | undefined
      const sample = () => {
        const newestTexts = newestTextsStatement(looked.map(({ resource }) => resource))
        sampled ??= database.query<NewestTexts>(newestTexts, [caller.organization.id], reader)
        return sampled
      }
      const divided = await divide(q, from?.asked, looked, sample)
      const kinds = looked.map(each => toSearch(each, q, divided, caller))
      const isLong = divided.others.length > 0
      const words = likelyWords(isLong ? divided.asked.join(' ') : q)
      const find: Find = (make, ...more) => {
        const { values, bind } = sharedBinding([caller.organization.id, ...more])
        const statement = make(bind)
        return statement === null ? Promise.resolve([]) : database.search(statement, values, reader)
      }
      const keyed = await recordsWithKey(
        q,
        looked.map(({ resource }) => resource.kind),
        request,
        services,
      )
      const asked = { q, kinds, keyed, words, companies, after, limit, weights: toWeights(from?.weights) }
      const { rows, weights } = await findRows(asked, { find, sample, keysOf: caller.keysOf })
      const truncated = from?.truncated === true || isLong || rows.some(row => row.truncated)
      const found = rows.filter(isFound)
      const last = found.length > limit ? found[limit - 1] : undefined
      const position = last && { rank: last.rank, updatedAt: last.updated_at, id: last.id, truncated }
      const next = position && {
        ...position,
        ...(isLong ? { asked: divided.asked } : {}),
        ...(weights === null ? {} : { weights }),
      }
      const context = { organization: caller.organization, now: new Date(clock.now()).toISOString() }
      return {
        status: 200,
        data: found
          .slice(0, limit)
          .map(row => toHit(row, { q, kinds, words: isOfSimilar(row.rank) ? words : [], context })),
        meta: { nextCursor: cursorTo(next), truncated },
      }
    },
  })
}

/** A kind that the token may read, with the texts that it may search in it. */
type LookedAt = Pick<SearchedKind, 'resource' | 'texts'>

function lookedAt(resources: readonly Resource[], types: unknown, { scopes }: Caller): LookedAt[] {
  return resources
    .filter(({ kind, scopes: { read } }) => scopes.has(read) && (!Array.isArray(types) || types.includes(kind)))
    .map(resource => {
      const isSearched = (text: string) => Object.values(resource.fields).some(({ search }) => search === text)
      const texts = {
        contactData: isSearched('contactData') && mayRead('contact_data', scopes),
        customFields: isSearched('customFields') && mayRead('custom_fields', scopes),
      }
      return { resource, texts }
    })
}

/**
 * The words of a search. If there are too many, the search uses those that the fewest of the newest records contain; the cursor stores
 * them, so that all pages of a search use the same words.
 */
async function divide(
  q: string,
  asked: unknown,
  looked: readonly LookedAt[],
  sample: () => Promise<NewestTexts[]>,
): Promise<DividedWords> {
  const first = divideWords(q, word => (Array.isArray(asked) && asked.includes(word) ? 0 : 1))
  if (first.others.length === 0 || asked !== undefined || looked.length === 0) return first
  const newest = await sample()
  return divideWords(q, word => {
    const counts = looked.map(kind => newestOf(newest, kind).filter(standsIn(termOf(word), kind.texts)).length)
    return counts.reduce((sum, count) => sum + count)
  })
}

/** The terms for a kind. A phone number is one term, and none of its words only affects the order. */
function toSearch(kind: LookedAt, q: string, { asked, others }: DividedWords, { organization }: Caller): SearchedKind {
  const terms = searchTerms(q, asked, kind.texts, organization.country)
  return { ...kind, terms, others: isNumber(q, kind.texts) ? [] : others }
}

/** The projections that hide texts from this caller: these texts are neither searched nor shown. */
function hiddenFrom(resources: readonly Resource[], { scopes }: Caller): string[] {
  const searched = resources.flatMap(({ fields }) => Object.values(fields).filter(({ search }) => search !== undefined))
  const projections = [...new Set(searched.map(({ projection }) => projection))]
  return projections.flatMap(projection =>
    projection === undefined || mayRead(projection, scopes) ? [] : [projection],
  )
}

const toWeights = (weights: unknown) => (Array.isArray(weights) ? weights.map(Number) : null)

function toPosition({ rank, updatedAt, id }: Readonly<Record<string, unknown>>): Position {
  return { rank: Number(rank), updatedAt: String(updatedAt), id: String(id) }
}

/** Binds each distinct value to one parameter, however often it is used. */
function sharedBinding(first: readonly unknown[]): { values: unknown[]; bind: Bind } {
  const values = [...first]
  const known = new Map<string, string>()
  const bind = (value: unknown) => {
    const key = JSON.stringify(value)
    const parameter = known.get(key) ?? `$${values.push(value)}`
    known.set(key, parameter)
    return parameter
  }
  return { values, bind }
}
