import { existsSync, readFileSync } from 'node:fs'

/**
 * The folders of the program: its package, with `migrations` and `package.json`, and the folder in it that the program runs from, `src` or
 * `dist`. They are searched upwards, because a compiled file may be elsewhere than its source.
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
