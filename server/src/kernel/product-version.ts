import { readFile } from 'node:fs/promises'
import { packageFolder } from './places.ts'
import { isObject } from './schema/index.ts'

/** The version of the product, as its package says. */
export async function productVersion(): Promise<string> {
  const text = await readFile(new URL('package.json', packageFolder), 'utf8')
  const described: unknown = JSON.parse(text)
  return isObject(described) ? String(described.version) : ''
}
