import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Smaller files gain nothing that a packet would notice. */
const least = 400

/** Writes `NAME.gz` and `NAME.br` beside each file of the folder that is smaller so. The server sends them as they are. */
export async function compressFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(name => !/\.(?:gz|br)$/u.test(name))
  await Promise.all(names.map(name => compressFile(join(folder, name))))
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file)
  if (content.length < least) return
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  ])
  if (zipped.length < content.length) await writeFile(`${file}.gz`, zipped)
  if (brotli.length < content.length) await writeFile(`${file}.br`, brotli)
}
