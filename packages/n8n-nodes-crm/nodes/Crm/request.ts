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
 * null in a body, which takes the value away, and is left out of a query. Throws a SyntaxError for text that is not JSON.
 */
export function requestOf(operation: Operation, values: IDataObject, page?: Page): Omit<ApiRequest, 'key'> {
  const given = operation.inputs.flatMap(input => {
    const value = valueOf(input, values[input.name])
    return value === undefined ? [] : [{ ...input, value }]
  })
  const of = (place: OperationInput['place']) => given.filter(input => input.place === place)
  let path = operation.path
  for (const { name, value } of of('path')) path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
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

/** The value of an input. Undefined if it was not given, or is an empty one of a query. */
function valueOf({ form, place, onTop }: OperationInput, value: unknown): unknown {
  if (value === undefined) return undefined
  if (form === 'rows' && isObject(value))
    return Array.isArray(value.rows) ? value.rows.filter(isObject).map(filled) : []
  if (form === 'json' && typeof value === 'string') return value.trim() === '' ? null : JSON.parse(value)
  if (value === '' && place === 'query') return undefined
  return value === '' && place === 'body' && !onTop ? null : value
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
  if (form === 'joined') return texts.length === 0 ? [] : [[name, texts.join(',')]]
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
