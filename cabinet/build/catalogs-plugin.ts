import type { Plugin } from 'vite'
import { catalogOf, languages, wordFiles } from './catalogs.ts'

const prefix = 'virtual:catalog/'

/** Vite's plugin for `virtual:catalog/en`, `/de` and `/ru`: modules that export the compiled texts of a language. */
export function catalogs(folder: string): Plugin {
  return {
    name: 'crm-catalogs',
    resolveId: id => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      const language = languages.find(each => id === `\0${prefix}${each}`)
      if (language === undefined) return undefined
      const files = wordFiles(folder)
      for (const file of files) this.addWatchFile(file)
      return `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(catalogOf(files, language)))})`
    },
  }
}
