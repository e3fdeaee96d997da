import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { constants, gzip } from 'node:zlib'

const scalar = fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))

/**
 * Writes the script of the reference page into a directory: plain and compressed, with its hash, which is part of the URL in the page, and
 * its licence. The package that contains it is needed only for building.
 */
export async function buildReference(directory: string): Promise<void> {
  const script = await extractScript()
  const compressed = await promisify(gzip)(script, { level: constants.Z_BEST_COMPRESSION })
  const hash = createHash('sha256').update(script).digest('base64url')
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'scalar.js'), script)
  await writeFile(join(directory, 'scalar.js.gz'), compressed)
  await writeFile(join(directory, 'scalar.js.sha256'), `${hash}\n`)
  await copyFile(join(scalar, '../../LICENSE'), join(directory, 'scalar.js.LICENSE'))
}

/**
 * The package contains its script as a string that one of its modules serves. That module is parsed instead of run, so its imports, which
 * need a newer Node.js, are replaced by a small package in `package.json`.
 */
async function extractScript(): Promise<Buffer> {
  const module = await readFile(scalar, 'utf8')
  const literal = /^var standalone_default = (?<literal>".*");$/mu.exec(module)?.groups?.literal
  const script: unknown = literal === undefined ? null : runInNewContext(literal)
  if (typeof script !== 'string') throw new Error('the package of the reference page contains no script')
  return Buffer.from(script)
}
