import type { ColumnMap } from './column-map.rules.ts'
import { type Place, shortened } from './field-path.rules.ts'
import type { ListShape, ObjectShape, Shape } from './shape.ts'

/** A record as it is sent, by its key. */
export type RecordToSend = Readonly<Record<string, unknown>> & { readonly externalId: string }

/** How cells are read. */
export interface Reading {
  readonly columns: ColumnMap
  /** The record that they are parts of. */
  readonly shape: ObjectShape
  /** Whether cells are texts, as in CSV, or values of JSON, which are sent as they are. */
  readonly areTexts: boolean
  /** Whether an empty cell takes the value of its field away. Otherwise it leaves the field as it is. */
  readonly clearsEmpty: boolean
}

type Part = Record<string, unknown>

/** The record that a row describes; a sentence if a cell is no value of its field, or would take away what an empty cell leaves. */
export function recordOfRow(cells: ReadonlyMap<string, unknown>, reading: Reading): RecordToSend | string {
  const record: Part = {}
  for (const [column, place] of reading.columns) {
    const cell = cells.get(column)
    if (cell === undefined) continue
    const value = reading.areTexts ? valueOf(String(cell), place.shape) : cell
    if (value === invalid) return `the column "${shortened(column)}" has "${shortened(String(cell))}", ${wanted(place)}`
    if (value !== null || !reading.areTexts) put(record, place, value)
    else if (reading.clearsEmpty) {
      if (place.steps.length === 1 && !isNullable(place.shape))
        return `the column "${shortened(column)}" is empty, and ${place.path} cannot be taken away`
      put(record, place, isNullable(place.shape) && !place.steps.some(Number.isInteger) ? null : undefined)
    }
  }
  const gaps: string[] = []
  const settling = { clearsEmpty: reading.clearsEmpty, onGap: (path: string) => void gaps.push(path) }
  const settled: Part = reading.areTexts ? settleMembers(record, reading.shape, '', settling) : record
  if (gaps[0] !== undefined)
    return `${gaps[0]} is empty, and a later element is not: a list is replaced as a whole, so what stands there would be lost; --clear-empty allows it`
  const { externalId = null } = settled
  if (externalId === null || externalId === '') return 'the key of the record, externalId, is empty'
  if (typeof externalId !== 'string')
    return `the key of the record, externalId, is ${shortened(JSON.stringify(externalId))}, and it has to be a text`
  return { ...settled, externalId }
}

const invalid = Symbol('invalid')

/** The value of a cell: null if it is empty. */
function valueOf(cell: string, shape: Shape): unknown {
  const word = cell.trim()
  if (word === '') return null
  switch (shape.is) {
    case 'integer':
      return /^[+-]?\d{1,15}$/u.test(word) ? Number(word) : invalid
    case 'boolean':
      return words.get(word.toLowerCase()) ?? invalid
    case 'keys':
      return word.split(';').map(key => key.trim())
    case 'text':
      return cell
    case 'list':
    case 'object':
      return invalid
  }
}

const words = new Map([
  ...['true', 'yes', 'y', '1'].map(word => [word, true] as const),
  ...['false', 'no', 'n', '0'].map(word => [word, false] as const),
])

function wanted({ path, shape }: Place): string {
  if (shape.is === 'integer') return `and ${path} is a whole number`
  if (shape.is === 'boolean') return `and ${path} is true or false`
  return `and ${path} has parts: map a column to each of them`
}

const isNullable = (shape: Shape) => shape.is !== 'list' && shape.nullable === true

/** Puts a value at its place, with what has to be there around it; undefined: only that. */
function put(record: Part, { steps }: Place, value: unknown): void {
  let at: object = record
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    if (isLast && value === undefined) return
    const next: unknown = isLast ? value : (Reflect.get(at, step) ?? (typeof steps[index + 1] === 'number' ? [] : {}))
    Reflect.set(at, step, next)
    if (typeof next === 'object' && next !== null) at = next
  }
}

interface Settling {
  readonly clearsEmpty: boolean
  /** Is told of a place in a list that is empty, though a later one is not. */
  readonly onGap: (path: string) => void
}

/** Without places in lists that no cell has filled, and with null for a part that was emptied. Undefined leaves it as it is. */
function settle(value: unknown, shape: Shape, path: string, settling: Settling): unknown {
  if (Array.isArray(value) && shape.is === 'list') return settleList(value, shape, path, settling)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || shape.is !== 'object') return value
  const members = settleMembers(value, shape, path, settling)
  if (Object.keys(members).length > 0) return members
  return shape.nullable && settling.clearsEmpty ? null : undefined
}

function settleMembers(value: object, { members }: ObjectShape, path: string, settling: Settling): Part {
  const settled: Part = {}
  for (const [name, each] of Object.entries(value)) {
    const shape = members[name]
    const own = path === '' ? name : `${path}.${name}`
    const kept: unknown = shape === undefined ? each : settle(each, shape, own, settling)
    if (kept !== undefined) settled[name] = kept
  }
  return settled
}

/** An element without what every element has, such as a label of no address, is none. */
function settleList(
  list: readonly unknown[],
  { of }: ListShape,
  path: string,
  settling: Settling,
): unknown[] | undefined {
  const required = of.is === 'object' ? (of.required ?? []) : []
  const isElement = (element: unknown) =>
    element !== undefined &&
    element !== null &&
    required.every(name => typeof element === 'object' && Object.hasOwn(element, name))
  const places = Array.from(list, (element, place) => settle(element, of, `${path}[${place}]`, settling))
  const elements = places.filter(isElement)
  if (settling.clearsEmpty) return elements
  const gap = places.findIndex(element => !isElement(element))
  if (gap >= 0 && elements.length > gap) settling.onGap(`${path}[${gap}]`)
  return elements.length > 0 ? elements : undefined
}
