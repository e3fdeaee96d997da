import type { Caller } from '../auth/index.ts'
import { bounds } from '../limits/index.ts'
import { type Resource, recordStatements, visibleIn } from '../record/index.ts'
import { mayRead } from '../redact/projection.ts'
import { type JsonObject, outerWords, searchWords } from '../schema/index.ts'
import type { Bind } from '../sql/index.ts'
import { type NewestTexts, standsIn } from './newest-texts.sql.ts'
import {
  contains,
  containsWithoutIndex,
  type DividedWords,
  divideWords,
  isAddress,
  isIndexed,
  isNumber,
  isReached,
  outerTerms,
  type SearchedTexts,
  type SearchTerm,
  searchTerms,
  termOf,
} from './search-conditions.ts'

/** One way to find the records that match a search of a list. */
export interface SearchWay {
  /** The text of the statement: $1 organization, $2 application, $3 most records; `others` are further conditions. */
  text(others: readonly string[], bind: Bind): string
  /** Whether this is the last way to try, even if it finds nothing. */
  readonly isLast: boolean
  /** The position of the next page, which is found in the same way. */
  mark(position: JsonObject): JsonObject
  /** If it examines only a part of the records, SQL of where it stopped: `createdAt` and `id`; $1 is the organization. */
  readonly end?: (others: readonly string[]) => string
}

/** What a search of a list looks for. */
export interface LookedFor {
  readonly search: string
  readonly divided: ListedWords
  /** The records that are found by their key, and shown before. */
  readonly keyed: readonly string[]
}

/** SQL that is true for these records. */
export function isOneOf(ids: readonly string[], bind: Bind): string {
  return `t.id = any (${bind(ids)}::uuid[])`
}

/** SQL that is true for records other than these. */
export function isNoneOf(ids: readonly string[], bind: Bind): string {
  return `t.id <> all (${bind(ids)}::uuid[])`
}

/** SQL of the condition, or that the record is found by its key. */
export function orIsKeyed(condition: string, keyed: readonly string[], bind: Bind): string {
  return keyed.length === 0 ? condition : `((${condition}) or ${isOneOf(keyed, bind)})`
}

/**
 * The ways to search, tried one after the other until a page has results. A whole e-mail address or phone number comes first, because an
 * index holds it as a whole; finding a part of one costs more with more records. Words of one or two letters, which no index can find, are
 * searched in the newest records, and in older ones by the next page.
 */
export function waysToSearch(
  resource: Resource,
  { search, divided: { asked, others, isFrequent }, keyed }: LookedFor,
  caller: Caller,
  after: JsonObject | null,
): SearchWay[] {
  const texts = textsOfList(resource, caller)
  const terms = outerTerms(searchTerms(search, asked, texts, caller.organization.country))
  const mark = (position: JsonObject) => position
  const checked = isNumber(search, texts) ? [] : others.map(termOf)
  const withoutIndex = (some: readonly SearchTerm[], bind: Bind) =>
    some.map(term => containsWithoutIndex(term, texts, bind))
  const inParts = (bind: Bind) => {
    // A single condition: PostgreSQL estimates that half of the records meet it, and walks through the newest. It would estimate that few
    // records meet several conditions, and sort all of them.
    const conditions = isFrequent
      ? [`case when ${withoutIndex([...terms, ...checked], bind).join(' and ')} then true else false end`]
      : [...terms.map(term => contains(term, texts, bind)), ...withoutIndex(checked, bind)]
    return [...conditions, ...(keyed.length === 0 ? [] : [isNoneOf(keyed, bind)])].join('\n      and ')
  }
  if (!isIndexed(terms)) {
    const text = (others: readonly string[], bind: Bind) =>
      listStatementText(
        resource,
        [inParts(bind)],
        `(${newest(resource, 't.*', others, `limit ${bounds.searchScan.most}`)}) as t`,
      )
    const end = (others: readonly string[]) =>
      newest(resource, 't.created_at as "createdAt", t.id', others, `offset ${bounds.searchScan.most - 1} limit 1`)
    return [{ text, isLast: true, mark, end }]
  }
  const parts: SearchWay = {
    text: (others, bind) => listStatementText(resource, [...visibleIn(resource), ...others, inParts(bind)]),
    isLast: true,
    mark,
  }
  const [term] = terms
  // A record with that key would keep those from being looked for that only contain the search.
  const isWhole = keyed.length === 0 && isAddress(terms, texts)
  if (term === undefined || !isWhole || (after !== null && after.whole !== true)) return [parts]
  const whole: SearchWay = {
    // In a subquery of its own: the planner estimates that an address is frequent, and would walk through the newest records.
    text: (others, bind) => {
      const conditions = [...visibleIn(resource), ...others, isReached(term.reached, bind)]
      const found = `select t.* from ${resource.table.name} t where ${conditions.join(' and ')} offset 0`
      return listStatementText(resource, ['true'], `(${found}) as t`)
    },
    isLast: after !== null,
    mark: position => ({ ...position, whole: true }),
  }
  return [whole, parts]
}

/** The texts that a list searches. */
export function textsOfList({ fields }: Resource, { scopes }: Caller): SearchedTexts {
  const isReachable = Object.values(fields).some(field => field.search === 'contactData')
  return { contactData: isReachable && mayRead('contact_data', scopes), customFields: false }
}

/** The words of a search of a list. */
export interface ListedWords extends DividedWords {
  /** Whether so many records contain all words that a walk through the newest soon fills a page, without an index. */
  readonly isFrequent: boolean
}

// Numbers of matching records in a sample of some 400 records.
const rare = 1
const frequent = 10

/**
 * Divides the words of a search of a list. A record must contain all of them, so the division affects only the costs. Of more than eight
 * words, the index looks for the rare ones according to the sample, or for the rarest one if none is rare. The others are checked in the
 * records from the index, the rarest first, because a record that lacks one word is not checked for the next.
 */
export async function divideForList(
  resource: Resource,
  search: string,
  caller: Caller,
  readSample: () => Promise<readonly NewestTexts[]>,
): Promise<ListedWords> {
  const texts = textsOfList(resource, caller)
  const all = divideWords(search, () => 0)
  if (all.others.length === 0 || isNumber(search, texts)) return { ...all, isFrequent: false }
  const sample = await readSample()
  const words = outerWords(searchWords(search)).map(word => {
    const term = termOf(word)
    const holds = standsIn(term, texts)
    return { word, holds, isIndexed: isIndexed([term]), count: sample.filter(holds).length }
  })
  const inOrder = words.toSorted((one, other) => one.count - other.count)
  const indexed = inOrder.filter(each => each.isIndexed)
  const seldom = indexed.filter(({ count }) => count <= rare).slice(0, bounds.searchWords.most)
  const asked = seldom.length > 0 ? seldom : (indexed.length > 0 ? indexed : inOrder).slice(0, 1)
  const matched = sample.filter(each => words.every(({ holds }) => holds(each)))
  return {
    asked: asked.map(({ word }) => word),
    others: inOrder.filter(each => !asked.includes(each)).map(({ word }) => word),
    isFrequent: matched.length >= frequent,
  }
}

/** The text of a list, the newest first: $1 organization, $2 application, $3 limit. */
export function listStatementText(
  resource: Resource,
  conditions: readonly string[],
  from = `${resource.table.name} t`,
): string {
  const { columns } = recordStatements(resource)
  return `select ${columns} from ${from}
    where ${conditions.join('\n      and ')}
    order by t.created_at desc, t.id desc limit $3`
}

function newest(resource: Resource, columns: string, others: readonly string[], limit: string): string {
  return `select ${columns} from ${resource.table.name} t
      where ${[...visibleIn(resource), ...others].join(' and ')}
      order by t.created_at desc, t.id desc ${limit}`
}
