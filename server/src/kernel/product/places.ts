import { existsSync, readFileSync } from 'node:fs'

/**
 * Where the program lies: its package, with `migrations` and `package.json`, and in that the folder that it runs from, `src` or `dist`.
 * They are looked for upwards, because a part of the compiled program lies elsewhere than the source it was made from.
 */
export const { packageFolder, programFolder } = foldersAbove(new URL('./', import.meta.url))

function foldersAbove(folder: URL): { readonly packageFolder: URL; readonly programFolder: URL } {
  const above = new URL('../', folder)
  if (above.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`)
  if (existsSync(new URL('package.json', above))) return { packageFolder: above, programFolder: folder }
  return foldersAbove(above)
}

/** The version of the product, as its package says. */
export const productVersion: string = versionIn(readFileSync(new URL('package.json', packageFolder), 'utf8'))

function versionIn(text: string): string {
  const described: { readonly version: string } = JSON.parse(text)
  return described.version
}
