import type { Plugin } from 'vite'
import { languages } from '../src/words/languages.ts'
import { catalogOf, wordFiles } from './catalogs.ts'

const prefix = 'virtual:catalog/'
const parts = ['first', 'later'] as const

/**
 * Vite's plugin for `virtual:catalog/first/en`, `later/en` and the same in `de` and `ru`: modules that export the compiled texts of a
 * language, those that a browser loads at once and those of what it loads later.
 */
export function catalogs(folder: string): Plugin {
  return {
    name: 'crm-catalogs',
    resolveId: id => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      const language = languages.find(each => id.startsWith(`\0${prefix}`) && id.endsWith(`/${each}`))
      const part = parts.find(each => id === `\0${prefix}${each}/${language}`)
      if (language === undefined || part === undefined) return undefined
      const files = wordFiles(folder, part)
      for (const file of files) this.addWatchFile(file)
      return `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(catalogOf(files, language)))})`
    },
  }
}
