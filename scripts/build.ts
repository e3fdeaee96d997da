import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildCabinet } from './build-cabinet.ts'
import { buildReference } from './build-reference.ts'
import { buildServer } from './build-server.ts'
import { prepareStart } from './prepare-start.ts'

/** Builds everything that a start needs, in the named directory or else beside the sources of the server. */
const directory = process.argv[2] ?? fileURLToPath(new URL('../server/dist', import.meta.url))
await buildServer(directory)
await Promise.all([
  buildCabinet(join(directory, 'cabinet')),
  buildReference(join(directory, 'reference')),
  prepareStart(directory),
])
