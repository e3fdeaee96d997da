import type { Caller } from '../auth/index.ts'
import { type Issue, malformed, Refusal } from '../errors/index.ts'
import type { Request } from '../operation.ts'
import { columnOf, keyLookup, type Resource } from '../record/index.ts'
import {
  type CustomFieldDefinition,
  customFieldForms,
  customFieldParameter,
  customFieldText,
  didYouMean,
  frequencies,
  hasCustomValue,
  nearestWord,
} from '../schema/index.ts'
import type { Services } from '../services.ts'
import type { Bind } from '../sql/index.ts'
import { usualOrder, wordOfOrder } from './list-parameters.ts'
import type { ListCondition, ListOrder, ListSelection } from './list-selection.ts'
import { keyedInList } from './records-with-key.ts'
import {
  contains,
  containsWithoutIndex,
  divideWords,
  isIndexed,
  isNumber,
  outerTerms,
  searchTerms,
  termOf,
} from './search-conditions.ts'
import { orIsKeyed, textsOfList } from './search-list.ts'

/** Whether a request chooses or sorts records otherwise than by a key or a search. */
export function isSelected({ filters }: Resource, query: Request['query']): boolean {
  const chooses = (name: string) => filters.has(name) || customFieldParameter.test(name)
  return Object.keys(query).some(chooses) || (query.sort ?? usualOrder) !== usualOrder
}

/**
 * The selection that a request asks for; 400 if a custom field does not exist or does not have a value of its type. `found` are the records
 * that its search finds by their keys, if they were looked up before.
 */
export async function askedSelection(
  resource: Resource,
  request: Pick<Request, 'caller' | 'query' | 'reader'>,
  services: Pick<Services, 'configurations' | 'database'>,
  found?: readonly string[],
): Promise<ListSelection | Refusal> {
  const { caller, query, reader } = request
  const hasCustom = Object.keys(query).some(name => customFieldParameter.test(name))
  const defined = hasCustom ? (await services.configurations.fresh(reader)).customFields.get(resource.kind) : []
  const custom = customConditions(resource, query, defined ?? [])
  if (custom instanceof Refusal) return custom
  const keyed = found ?? (await keyedInList(resource, request, services))
  return {
    conditions: [
      ...declaredConditions(resource, query, caller),
      ...custom,
      ...keyCondition(resource, query),
      ...searchCondition(resource, query, caller, keyed),
    ],
    order: orderOf(resource, typeof query.sort === 'string' ? query.sort : usualOrder),
  }
}

function declaredConditions(resource: Resource, query: Request['query'], { organization }: Caller): ListCondition[] {
  return Object.entries(query).flatMap(([name, value]): ListCondition[] => {
    const filter = resource.filters.get(name)
    if (filter === undefined) return []
    const { column, frequency, condition, range } = filter
    const sql = (text: typeof condition) => (bind: Bind) => text(column, [value].flat(), { organization, bind })
    const found = { text: sql(range ?? condition), ...(frequency === undefined ? {} : { frequency }) }
    if (range === undefined) return [found]
    const end = { ...found, limits: column }
    // The exact condition is checked on each record that a walk looks at: in the range, it would pass by any number of records.
    return range === condition ? [end] : [end, { text: sql(condition) }]
  })
}

function customConditions(
  { roles, fields }: Resource,
  query: Request['query'],
  definitions: readonly CustomFieldDefinition[],
): ListCondition[] | Refusal {
  const name = roles.customFields ?? ''
  const field = fields[name]
  if (field === undefined) return []
  const column = `t.${columnOf(name, field)}`
  const issues: Issue[] = []
  const conditions: ListCondition[] = []
  for (const [parameter, values] of Object.entries(query)) {
    const key = customFieldParameter.exec(parameter)?.[1]
    if (key === undefined) continue
    const path = `query:${parameter}`
    const definition = definitions.find(each => each.key === key)
    if (definition === undefined) {
      const nearest = nearestWord(
        key,
        definitions.map(each => each.key),
      )
      issues.push({
        path,
        rule: 'custom_field',
        message: `No such custom field${didYouMean(nearest)} See directories.customFields`,
      })
      continue
    }
    const texts = [values].flat().map(value => customFieldText(definition, String(value)))
    const known = texts.filter(text => text !== undefined)
    if (known.length < texts.length)
      issues.push({ path, rule: definition.type, message: customFieldForms[definition.type] })
    else conditions.push({ text: bind => hasCustomValue(definition, column, known, { bind }) })
  }
  return issues.length === 0 ? conditions : malformed(issues)
}

function keyCondition(resource: Resource, { externalId }: Request['query']): ListCondition[] {
  if (typeof externalId !== 'string') return []
  return [{ text: bind => `t.id = ${keyedId(resource, bind(externalId))}`, frequency: 0 }]
}

/** SQL of the id of the record that has this key. */
export function keyedId({ kind }: Resource, key: string): string {
  return keyLookup({ columns: ['resource_id'], kind: `'${kind}'`, key, gone: false })
}

function searchCondition(
  resource: Resource,
  { search }: Request['query'],
  caller: Caller,
  keyed: readonly string[],
): ListCondition[] {
  if (typeof search !== 'string') return []
  const texts = textsOfList(resource, caller)
  // The longest words are looked for in indexes, because they are usually the rarest.
  const { asked, others } = divideWords(search, word => -word.length)
  const terms = outerTerms(searchTerms(search, asked, texts, caller.organization.country))
  const checked = isNumber(search, texts) ? [] : others.map(termOf)
  return [
    {
      text(bind) {
        const conditions = [
          ...terms.map(term => contains(term, texts, bind)),
          ...checked.map(term => containsWithoutIndex(term, texts, bind)),
        ]
        return orIsKeyed(conditions.join(' and '), keyed, bind)
      },
      ...(isIndexed(terms) ? { frequency: frequencies.search } : {}),
    },
  ]
}

function orderOf({ kind, orders }: Resource, sort: string): ListOrder {
  const word = wordOfOrder(sort)
  const order = orders.get(word)
  if (order === undefined) throw new Error(`a ${kind} is not sorted by ${word}`)
  const { value, type, isNullable, isLastChange = false } = order
  return { value, type, isNullable, isLastChange, descends: word !== sort }
}
