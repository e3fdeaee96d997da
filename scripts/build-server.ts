import { cp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const server = fileURLToPath(new URL('../server', import.meta.url))
const sources = join(server, 'src')
const require = createRequire(import.meta.url)
/** The character maps of PDFs whose fonts are not embedded, with their licence. The package that holds them is needed for building alone. */
const characterMaps = join(dirname(require.resolve('pdfjs-dist/package.json')), 'cmaps')
const embeddedPostgres = fileURLToPath(new URL('../packages/embedded-postgres/src/index.ts', import.meta.url))

/** The programs that read untrusted files, each in a process of its own. */
const readers = ['ai-agents/knowledge-bases/extraction/extraction-process.ts', 'crm/imports/reading/reading-process.ts']

const options: BuildOptions = {
  outbase: sources,
  chunkNames: 'parts/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  tsconfig: join(server, 'tsconfig.build.json'),
  logLevel: 'warning',
}

/**
 * Bundles the program into a directory, whose content is replaced: few files instead of one for each source, because finding and reading
 * hundreds of files took a third of a start. Code that a command does not need is in separate chunks, and packages stay external. Only the
 * package of this repository is bundled, so the program can be installed from a registry that does not have it.
 */
export async function buildServer(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await build({
    ...options,
    entryPoints: [join(sources, 'main.ts')],
    outdir: directory,
    packages: 'external',
    alias: { '@crm-server/embedded-postgres': embeddedPostgres },
    legalComments: 'none',
  })
  await buildReaders(directory)
}

/**
 * Bundles the programs that read files together with their packages: a process is started for nearly every file, and finding and reading
 * the packages took four fifths of its time. The character maps lie beside them, where a sandbox may read them. Resolves to the paths of
 * the programs, by their sources below `src`.
 */
export async function buildReaders(directory: string): Promise<ReadonlyMap<string, string>> {
  await build({
    ...options,
    entryPoints: readers.map(reader => join(sources, reader)),
    outdir: directory,
    legalComments: 'eof',
    // CommonJS packages call `require` for modules of Node.js.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  await cp(characterMaps, join(directory, 'character-maps'), { recursive: true })
  return new Map(readers.map(reader => [reader, join(directory, reader.replace(/ts$/u, 'js'))]))
}
