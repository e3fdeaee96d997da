import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import type { InlineConfig } from 'vite'
import { catalogs } from './build/catalogs-plugin.ts'

/** The libraries of every page. */
const everywhere =
  /node_modules\/(?:react|react-dom|scheduler|@lingui|@tanstack\/(?:history|query-core|react-query|react-router|react-store|router-core|store))\//

const root = fileURLToPath(new URL('.', import.meta.url))
/** Where the pages begin. */
const start = ['index.html', 'src/main.tsx'].map(name => join(root, name))

/**
 * How the cabinet is built. `withComponents` adds the page that shows every component in its states, which the product does not have.
 * Nothing is inlined, because the pages allow neither styles nor scripts in themselves.
 */
export function cabinetConfig({ withComponents }: { readonly withComponents: boolean }): InlineConfig {
  return {
    configFile: false,
    root,
    base: '/cabinet/',
    publicDir: false,
    logLevel: 'warn',
    define: { withComponents: JSON.stringify(withComponents) },
    plugins: [
      { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE', 'ru-RU'] }), enforce: 'pre' },
      catalogs(fileURLToPath(new URL('src', import.meta.url))),
    ],
    build: {
      target: 'es2023',
      assetsInlineLimit: 0,
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      manifest: 'manifest.json',
      license: { fileName: 'libraries.LICENSE' },
      reportCompressedSize: false,
      emptyOutDir: true,
      // Libraries mark what is for browsers; all of it is here.
      rolldownOptions: {
        checks: { moduleLevelDirective: false, bundlerTimings: false },
        // What is needed until the first list is there is two files, which compress better than dozens: the first one changes rarely.
        output: {
          codeSplitting: {
            groups: [
              { name: 'libraries', test: everywhere },
              { name: 'first', tags: ['$initial'], test: id => !start.includes(id) },
            ],
          },
        },
      },
    },
  }
}

/** For `npx vite` in this folder: pages that change while one writes them, on a server that runs at port 3000. */
export default {
  ...cabinetConfig({ withComponents: true }),
  server: { proxy: { '/cabinet/api': 'http://127.0.0.1:3000' } },
} satisfies InlineConfig
