import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildReference } from './build-reference.ts'
import { buildServer } from './build-server.ts'
import { prepareStart } from './prepare-start.ts'

/** Makes all that a start needs, in the directory that is named or else beside the sources of the server. */
const directory = process.argv[2] ?? fileURLToPath(new URL('../server/dist', import.meta.url))
await buildServer(directory)
await Promise.all([buildReference(join(directory, 'reference')), prepareStart(directory)])
