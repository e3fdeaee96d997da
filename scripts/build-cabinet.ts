import { join } from 'node:path'
import { build } from 'vite'
import { compressFiles } from '../cabinet/build/compress.ts'
import { cabinetConfig } from '../cabinet/vite.config.ts'

/**
 * Builds the pages into a directory, whose content is replaced: `index.html`, `assets/` with the compressed forms of each file, the manifest,
 * and the licences of the libraries. The packages that they need are needed only for building.
 */
export async function buildCabinet(directory: string, { withComponents = false } = {}): Promise<void> {
  const config = cabinetConfig({ withComponents })
  await inProduction(() => build({ ...config, build: { ...config.build, outDir: directory } }))
  await compressFiles(join(directory, 'assets'))
}

/** Libraries bundle what helps to develop with them where this variable says anything else, as it does in tests. */
async function inProduction(work: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: before } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await work()
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}
