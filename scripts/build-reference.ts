import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { constants, gzip } from 'node:zlib'

const scalar = fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))

/**
 * Puts the script of the reference page into a directory: plain and compressed, with its hash, which the page puts into
 * the address, and its licence. The package that holds it is needed for building alone.
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
 * The package holds its script as a text that a module of it would serve. That module is read instead of being run, so the
 * packages which it imports, and which need a newer Node.js, are replaced by a small one in `package.json`.
 */
async function extractScript(): Promise<Buffer> {
  const module = await readFile(scalar, 'utf8')
  const literal = /^var standalone_default = (?<literal>".*");$/mu.exec(module)?.groups?.literal
  const script: unknown = literal === undefined ? null : runInNewContext(literal)
  if (typeof script !== 'string') throw new Error('the package of the reference page holds no script')
  return Buffer.from(script)
}
