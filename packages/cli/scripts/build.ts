import { fileURLToPath } from 'node:url'
import { buildCli } from './bundle.ts'

/** Builds the program in the named folder, or else beside its sources. */
await buildCli(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)))
