import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/**
 * Bundles the program with all of its packages into one file, `crm.js` in a folder whose content is replaced: it is installed without any
 * other package, and one file is quickly read. Resolves to the names of the packages of others in it.
 */
export async function buildCli(folder: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true })
  const { metafile } = await build({
    metafile: true,
    entryPoints: [main],
    outfile: join(folder, 'crm.js'),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['source'],
    legalComments: 'none',
    logLevel: 'warning',
    // CommonJS packages call `require` for modules of Node.js.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  const packages = Object.keys(metafile.inputs).flatMap(
    file => /node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(file)?.[1] ?? [],
  )
  return [...new Set(packages)].sort()
}
