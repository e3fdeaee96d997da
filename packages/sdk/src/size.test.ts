import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/** What a program carries that imports an entry of the package, compressed. */
async function bytesOf(entry: string): Promise<number> {
  const made = await build({
    entryPoints: [`packages/sdk/src/${entry}`],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  return gzipSync(made.outputFiles[0]?.contents ?? '', { level: 9 }).length
}

test.each([
  ['index.ts', 12_000],
  ['webhooks.ts', 1_500],
])('%s is at most %i bytes', async (entry, most) => {
  const bytes = await bytesOf(entry)
  expect(bytes).toBeGreaterThan(500)
  expect(bytes).toBeLessThanOrEqual(most)
})
