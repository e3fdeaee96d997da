import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Writes `SHA256SUMS` beside the files of a release, in the format of `sha256sum --check`. */
export async function writeChecksums(folder: string, files: readonly string[]): Promise<void> {
  const lines = files.map(async file => {
    const sum = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
    return `${sum}  ${basename(file)}\n`
  })
  await writeFile(join(folder, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
}
