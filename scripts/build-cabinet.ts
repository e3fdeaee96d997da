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
  await build({ ...config, build: { ...config.build, outDir: directory } })
  await compressFiles(join(directory, 'assets'))
}
