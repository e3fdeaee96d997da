import type { Kind } from '../world.ts'
import type { State } from './history.ts'
import { formOf } from './words.ts'

/** The place of a record in a list. */
export interface Place {
  readonly value: string | number | null
  readonly id: string
}

const member = (name: string) => (state: State) => {
  const value = state.data[name]
  return typeof value === 'string' ? value : null
}
/** Texts are compared without case and accents; what comes behind the first hundred characters does not matter. */
const text = (name: string) => (state: State) => [...formOf(String(state.data[name]))].slice(0, 100).join('')
const amount = ({ data }: State) => (data.amount === null ? null : Number(data.amount))

type Value = (state: State) => Place['value']

const shared: Readonly<Record<string, Value>> = { createdAt: member('createdAt'), updatedAt: member('updatedAt') }

/** What lists of each kind can be sorted by. */
export const orders: Readonly<Record<Kind, Readonly<Record<string, Value>>>> = {
  contact: { ...shared, name: text('displayName') },
  company: { ...shared, name: text('name') },
  deal: { ...shared, title: text('title'), amount, expectedCloseDate: member('expectedCloseDate') },
  task: { ...shared, title: text('title'), dueDate: member('dueDate') },
}

/** The place of a record in the order that a word of `sort` gives. */
export function placeIn(kind: Kind, sort: string, state: State): Place {
  const value = orders[kind][sort.replace('-', '')]
  if (value === undefined) throw new Error(`no order ${sort}`)
  return { value: value(state), id: state.id }
}

/** Negative if the one place comes first. Empty values come last in both directions, and ids decide between equal ones. */
export function compare(sort: string, one: Place, other: Place): number {
  const direction = sort.startsWith('-') ? -1 : 1
  if (one.value !== null && other.value !== null) {
    const difference = compareValues(one.value, other.value)
    return direction * (difference === 0 ? compareValues(one.id, other.id) : difference)
  }
  if (one.value === null && other.value === null) return direction * compareValues(one.id, other.id)
  return one.value === null ? 1 : -1
}

/** Texts by their code points. */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Math.sign(Number(one) - Number(other))
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
