import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { History, State } from './history.ts'
import { compare, type Place, placeIn } from './orders.ts'
import { answers, pathOf, type Question } from './questions.ts'
import { mostPages, type Page, type Walk } from './walk.ts'

/** What is wrong with a walk; writes that were under way while it went on have been answered. */
export function judge(walk: Walk, history: History): string[] {
  const findings = [...walk.pages.flatMap(page => wrongPage(walk.question, page)), ...wrongEnd(walk)]
  const shown = shownBy(walk, history)
  findings.push(
    ...shown.flatMap(({ finding }) => finding ?? []),
    ...wrongOrder(walk, shown),
    ...missing(walk, shown, history),
  )
  return findings.map(finding => `${pathOf(walk.question)}: ${finding}`)
}

function wrongPage({ limit, filters }: Question, { status, items, meta }: Page): string[] {
  if (status === 410 && filters.has('externalId')) return []
  if (status !== 200) return [`a page was answered with ${status}`]
  if (items.length > limit) return [`a page has ${items.length} records`]
  const isTruncated = meta.truncated === true
  if (meta.nextCursor === null) return isTruncated ? ['the last page says that it is truncated'] : []
  return items.length < limit && !isTruncated
    ? ['a page is not full, and says neither that it is the last nor truncated']
    : []
}

function wrongEnd({ pages }: Walk): string[] {
  return pages.length === mostPages ? [`there are ${mostPages} pages and more`] : []
}

interface Shown {
  readonly id: string
  readonly place: Place
  readonly finding?: string
}

/** The records of all pages, each in a state that it had at that time and that answers the question. */
function shownBy({ question, pages }: Walk, history: History): Shown[] {
  return pages.flatMap(({ items, sent, arrived }) =>
    items.map(item => {
      const id = String(item.id)
      const states = history.states(id, sent, arrived).filter(state => state !== null)
      const same = states.filter(({ data }) => isSame(item, data))
      const shown = { id, place: placeIn(question.kind, question.sort ?? '-createdAt', { id, data: item, links: [] }) }
      if (same.some(state => answers(question, state))) return shown
      const reason = same.length === 0 ? 'which it was not then' : 'which is no answer'
      return { ...shown, finding: `${id} is shown as ${JSON.stringify(item)}, ${reason}; ${JSON.stringify(states)}` }
    }),
  )
}

/** Members that change without a new version. */
const volatile = ['isOverdue', 'companies', 'contacts']

function isSame(one: JsonObject, other: JsonObject): boolean {
  const stable = (record: JsonObject) => Object.entries(record).filter(([name]) => !volatile.includes(name))
  return isDeepStrictEqual(stable(one), stable(other))
}

/** Each record has to stand behind the one before it: then none stands twice at the same place. */
function wrongOrder({ question: { sort } }: Walk, shown: readonly Shown[]): string[] {
  return shown.flatMap(({ place }, index) => {
    const before = shown[index - 1]?.place
    if (before === undefined || compare(sort ?? '-createdAt', before, place) < 0) return []
    return [`${JSON.stringify(place)} stands behind ${JSON.stringify(before)}`]
  })
}

/**
 * Records that answered the question all the time and are not shown. A walk may miss one whose place moved towards the beginning, as it may
 * show one twice whose place moved towards the end.
 */
function missing({ question, pages }: Walk, shown: readonly Shown[], history: History): string[] {
  const [from, to] = [pages[0]?.sent ?? 0, pages.at(-1)?.arrived ?? 0]
  const found = new Set(shown.map(({ id }) => id))
  return [...history.ids(question.kind, from)].flatMap(id => {
    const states = history.states(id, from, to)
    if (found.has(id) || !states.every(state => state !== null && answers(question, state))) return []
    const isReached = onward(
      question,
      states.filter(state => state !== null),
    )
    return isReached ? [`${id} is missing: ${JSON.stringify(states)}`] : []
  })
}

/** Whether a record stayed at its place, or moved towards the end alone. */
function onward({ kind, sort }: Question, states: readonly State[]): boolean {
  const places = states.map(state => placeIn(kind, sort ?? '-createdAt', state))
  return places.every((place, index) => {
    const before = places[index - 1]
    return before === undefined || compare(sort ?? '-createdAt', before, place) <= 0
  })
}
