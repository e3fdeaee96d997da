import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const server = fileURLToPath(new URL('../server', import.meta.url))
const sources = join(server, 'src')
const embeddedPostgres = fileURLToPath(new URL('../packages/embedded-postgres/src/index.ts', import.meta.url))

/** The programs that read files of strangers, each in a process of its own. */
export const readers = [
  'ai-agents/knowledge-bases/extraction/extraction-process.ts',
  'crm/imports/reading/reading-process.ts',
]

/**
 * Makes the program in a directory, whose content is replaced: few files instead of one for each source, because finding and reading
 * hundreds took a third of a start. What a command does not need stays in parts of its own, and packages stay packages. Only that of this
 * repository becomes a part of the program, which can then be installed from a registry that has nothing of ours.
 */
export async function buildServer(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await buildPrograms(directory, ['main.ts', ...readers])
}

/** Compiles programs, which are named by their sources, into a directory. */
export async function buildPrograms(directory: string, programs: readonly string[]): Promise<void> {
  await build({
    entryPoints: programs.map(program => join(sources, program)),
    outbase: sources,
    outdir: directory,
    chunkNames: 'parts/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    alias: { '@crm-server/embedded-postgres': embeddedPostgres },
    sourcemap: true,
    legalComments: 'none',
    tsconfig: join(server, 'tsconfig.build.json'),
    logLevel: 'warning',
  })
}
