import type { Random } from '../../support/random.ts'
import { type Kind, plurals } from '../world.ts'
import { filters } from './filters.ts'
import type { History, State } from './history.ts'
import { orders } from './orders.ts'
import { kinds } from './surroundings.ts'
import { formOf, searchedTexts } from './words.ts'

/** What a list is asked for. */
export interface Question {
  readonly kind: Kind
  /** The values of each parameter. A record matches if it has at least one value of every parameter. */
  readonly filters: ReadonlyMap<string, readonly string[]>
  /** Words that all have to be found; '' without a search. */
  readonly search: string
  /** null: the order that a list has without `sort`. */
  readonly sort: string | null
  readonly limit: number
}

/** The path of a question, without a cursor. */
export function pathOf({ kind, filters: given, search, sort, limit }: Question): string {
  const parameters = [
    ...[...given].flatMap(([name, values]) => values.map(value => [name, value])),
    ...(search === '' ? [] : [['search', search]]),
    ...(sort === null ? [] : [['sort', sort]]),
    ['limit', String(limit)],
  ]
  return `/${plurals[kind]}?${parameters.map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** Whether a record in this state is an answer to the question. */
export function answers({ kind, filters: given, search }: Question, state: State): boolean {
  const texts = searchedTexts(kind, state)
  const words = formOf(search).split(' ')
  if (search !== '' && !words.every(word => texts.some(text => text.includes(word)))) return false
  return [...given].every(([name, values]) => values.some(value => filters[kind][name]?.holds(state, value)))
}

const allFilters = kinds.flatMap(kind => Object.keys(filters[kind]).map(name => ({ kind, name })))

const allOrders = kinds.flatMap(kind =>
  Object.keys(orders[kind]).flatMap(name => [name, `-${name}`].map(sort => ({ kind, sort }))),
)

/** After so many questions, each filter and each order in both directions has had its turn. */
export const turns = allFilters.length + allOrders.length

const limits = [1, 2, 3, 5, 8, 20, 100]
const mostPages = 12

/** A question in which a filter or an order has its turn, by the number of the question; others join it by chance. */
export function aQuestion(index: number, random: Random, history: History): Question {
  const turn = index % turns
  const filter = allFilters[turn]
  const order = allOrders[turn - allFilters.length]
  const kind = filter?.kind ?? order?.kind ?? 'contact'
  const all = history.all(kind)
  const own = all.filter(state => filter !== undefined && hasValue(kind, filter.name, state))
  // Mostly they are asked for one record, which all of them find.
  const one = random.pick(own.length === 0 ? all : own)
  const known = Object.keys(filters[kind]).filter(name => all.some(state => hasValue(kind, name, state)))
  const chosen = [
    ...(filter === undefined || own.length === 0 ? [] : [filter.name]),
    ...random.shuffled(known).slice(0, random.between(0, 3)),
  ]
  // The two ends of a range are one condition.
  const ends = chosen.filter(name => name.endsWith('From') && random.next() < 0.5)
  const names = [...chosen, ...ends.map(name => name.replace('From', 'To'))]
  const given = new Map(
    names.map(name => [name, valuesOf(kind, name, random.next() < 0.7 ? one : random.pick(all), random, history)]),
  )
  const search = random.next() < 0.15 ? wordsIn(kind, one, random) : ''
  const sort =
    order?.sort ?? (random.next() < 0.3 ? null : `${random.pick(['', '-'])}${random.pick(Object.keys(orders[kind]))}`)
  const question = { kind, filters: given, search, sort, limit: 100 }
  const fewest = all.filter(state => answers(question, state)).length / mostPages
  return { ...question, limit: random.pick(limits.filter(limit => limit >= fewest)) }
}

const hasValue = (kind: Kind, name: string, state: State) => (filters[kind][name]?.valuesOf(state) ?? []).length > 0

/** Values that the record has, that others have, that no longer exist, and that never did. */
function valuesOf(kind: Kind, name: string, state: State, random: Random, history: History): string[] {
  const filter = filters[kind][name]
  if (filter === undefined) throw new Error(`no filter ${name}`)
  const all = history.all(kind)
  const own = filter.valuesOf(state)
  const others = () => random.pick(all.flatMap(each => filter.valuesOf(each)))
  const gone = () => random.pick([...history.gone, '00000000-0000-7000-8000-000000000000'])
  const isId = name.endsWith('Id') || name.endsWith('Ids')
  const count = filter.most === 1 ? 1 : random.pick([1, 1, 1, 2, 3, 4])
  const values = Array.from({ length: count }, (_, index) => {
    if (isId && random.next() < 0.1) return gone()
    const value = index === 0 && own.length > 0 ? random.pick(own) : others()
    return filter.vary(value, random)
  })
  return [...new Set(values)]
}

/** One or two words, or parts of words, of a record. */
function wordsIn(kind: Kind, state: State, random: Random): string {
  const words = searchedTexts(kind, state)
    .flatMap(text => text.split(/[ @.]/u))
    .filter(word => /^\p{L}+$/u.test(word))
  if (words.length === 0) return 'alp'
  const part = (word: string) => [...word].slice(0, random.between(1, 6)).join('')
  return random.some(words, 2).map(part).join(' ')
}
