import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { withBounds } from '../test/golden/bounds.ts'
import { withCommands } from '../test/golden/commands.ts'
import { withErrors } from '../test/golden/error-table.ts'
import { renderReleased } from '../test/golden/released.ts'
import { goldenDocument, renderGoldenFiles } from '../test/golden/render.ts'
import { writeSchema } from './schema.ts'

/**
 * `npm run golden`: writes the golden files anew. Read the difference before it is committed: it is the review. With
 * `-- --release`, for the commit that releases a version, also what later versions are compared with.
 */
const directory = new URL('../test/golden/', import.meta.url)
await mkdir(directory, { recursive: true })
for (const [name, text] of Object.entries(renderGoldenFiles())) {
  await writeFile(new URL(name, directory), text)
}
if (process.argv.includes('--release')) {
  await writeFile(new URL('released.json', directory), renderReleased(goldenDocument))
}

// These tables stand inside of pages that are written by hand.
const operationsPage = new URL('../docs/operations.md', import.meta.url)
await writeFile(operationsPage, await withCommands(withBounds(await readFile(operationsPage, 'utf8'))))
const errorsPage = new URL('../docs/contract/14-errors-and-limits.md', import.meta.url)
await writeFile(errorsPage, withErrors(await readFile(errorsPage, 'utf8')))

await writeSchema()
