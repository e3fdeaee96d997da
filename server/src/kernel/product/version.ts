import { readFileSync } from 'node:fs'
import { packageFolder } from './places.ts'

/** The version of the product, as its package says. */
export const productVersion: string = versionIn(readFileSync(new URL('package.json', packageFolder), 'utf8'))

function versionIn(text: string): string {
  const described: { readonly version: string } = JSON.parse(text)
  return described.version
}
