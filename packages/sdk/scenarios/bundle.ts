import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A program of one file that plays all scenarios of a host, for a runtime. `start` calls `playAll` with the address of the host. */
export async function bundled(start: string): Promise<string> {
  const contents = `import { playAll } from './play-all.ts'\n${start}`
  const made = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  })
  return made.outputFiles[0]?.text ?? ''
}
