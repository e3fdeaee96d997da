import { readFile } from 'node:fs/promises'
import { isObject } from '../../../server/src/kernel/schema/index.ts'

/** A row of routes.json: what the specification says of one route; or one of routes-beyond-v1.json, of which it says nothing. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly success: number
  readonly alsoSuccess: readonly number[]
  readonly idempotencyKey: boolean
  readonly cas: unknown
  readonly page: unknown
  readonly maxItems: unknown
}

/** The 120 routes of the specification, or those that are served beyond them. */
export async function readRoutes(list: 'routes.json' | 'routes-beyond-v1.json'): Promise<Route[]> {
  const content: unknown = JSON.parse(await readFile(new URL(`../${list}`, import.meta.url), 'utf8'))
  if (!Array.isArray(content)) throw new Error(`${list} is not a list`)
  return content.filter(isObject).map(({ method, path, scopes, success, alsoSuccess, idempotencyKey, ...rest }) => ({
    method: String(method),
    path: String(path),
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    success: Number(success),
    alsoSuccess: Array.isArray(alsoSuccess) ? alsoSuccess.map(Number) : [],
    idempotencyKey: idempotencyKey === true,
    cas: rest.cas,
    page: rest.page,
    maxItems: rest.maxItems,
  }))
}
