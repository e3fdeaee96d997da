import type { IDataObject } from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import type { ApiRequest } from '../api/call.ts'
import type { Operation, OperationInput } from './operation.ts'

/** Where a list goes on, and how long its next page is. */
export interface Page {
  readonly limit: number
  readonly cursor: string | null
}

/**
 * The request of an operation, made of the parameters of the node by their names. An optional field that was added and left empty becomes
 * null in a body, which takes the value away. Throws an Error for an empty one of a query, because a list without that filter finds
 * everything, for a value of the path that is missing or would lead elsewhere, and for text that is not JSON.
 */
export function requestOf(operation: Operation, values: IDataObject, page?: Page): Omit<ApiRequest, 'key'> {
  const given = operation.inputs.flatMap(input => {
    const value = valueOf(input, values[input.name])
    if (input.place === 'query' && input.name in values && isEmpty(value))
      throw new Error(
        `"${input.name}" is empty. Give it a value or take it out: a list without a filter finds everything.`,
      )
    return value === undefined ? [] : [{ ...input, value }]
  })
  const of = (place: OperationInput['place']) => given.filter(input => input.place === place)
  let path = operation.path
  for (const { name } of operation.inputs.filter(({ place }) => place === 'path'))
    path = path.replace(`{${name}}`, () => segmentOf(name, values[name]))
  const query = new URLSearchParams(of('query').flatMap(queryOf))
  if (page !== undefined) query.set('limit', String(page.limit))
  if (page?.cursor != null) query.set('cursor', page.cursor)
  const hasBody = operation.inputs.some(({ place }) => place === 'body')
  return {
    method: operation.method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    ...(hasBody && { body: bodyOf(of('body')) }),
  }
}

type Given = OperationInput & { readonly value: unknown }

/** A value in the path. `.` and `..` would name another resource. */
function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (['', '.', '..'].includes(text)) throw new Error(`A value is missing: "${name}" is "${text}"`)
  return encodeURIComponent(text)
}

/** The value of an input. Undefined if it was not given. */
function valueOf({ form, place, onTop }: OperationInput, value: unknown): unknown {
  if (value === undefined) return undefined
  if (form === 'rows' && isObject(value))
    return Array.isArray(value.rows) ? value.rows.filter(isObject).map(filled) : []
  if (form === 'json' && typeof value === 'string') return value.trim() === '' ? null : JSON.parse(value)
  return value === '' && place === 'body' && !onTop ? null : value
}

/** Whether a value says nothing in a query, or a member of it. A time is an object whose JSON is its text. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0 || value.some(isEmpty)
  if (!isObject(value) || typeof JSON.parse(JSON.stringify(value)) !== 'object') return false
  const members = Object.values(value)
  return members.length === 0 || members.some(isEmpty)
}

/** The members of a row that were filled in. */
function filled(row: IDataObject): IDataObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '' && value !== undefined))
}

function queryOf({ member: [name = ''], form, value }: Given): [string, string][] {
  if (form === 'json' && isObject(value))
    return Object.entries(value).map(([key, each]) => [`${name}.${key}`, textOf(each)])
  if (!Array.isArray(value)) return [[name, textOf(value)]]
  const texts = value.map(textOf)
  if (form === 'joined') return [[name, texts.join(',')]]
  return texts.map(text => [name, text])
}

/** A value in a query. Times from expressions are objects whose JSON is their text. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? String(JSON.parse(JSON.stringify(value))) : String(value)
}

function bodyOf(inputs: readonly Given[]): IDataObject {
  const body: IDataObject = {}
  for (const {
    member: [name = '', part],
    value,
  } of inputs) {
    const outer = body[name]
    const set = value as IDataObject[string]
    body[name] = part === undefined ? set : { ...(isObject(outer) && outer), [part]: set }
  }
  return body
}
