import { createHash } from 'node:crypto'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

const root = fileURLToPath(new URL('../', import.meta.url))

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
  await copyFile(join(root, 'node_modules/@scalar/fastify-api-reference/LICENSE'), join(directory, 'scalar.js.LICENSE'))
}

/** The package gives its script only as a route of a server. */
async function extractScript(): Promise<Buffer> {
  const server = Fastify()
  await server.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const answer = await server.inject('/reference/js/scalar.js')
  await server.close()
  if (answer.statusCode !== 200) throw new Error(`the package answered ${answer.statusCode} for its script`)
  return answer.rawPayload
}

// Run by itself it builds beside the compiled server, where that looks for it.
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildReference(join(root, 'server', 'dist', 'reference'))
