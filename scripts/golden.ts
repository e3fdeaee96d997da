import { readFile, writeFile } from 'node:fs/promises'
import { publicApi } from '../packages/sdk/scripts/public-api.ts'
import { withBounds } from '../test/golden/bounds.ts'
import { withCommands } from '../test/golden/commands.ts'
import { withErrors } from '../test/golden/error-table.ts'
import { renderReleased } from '../test/golden/released.ts'
import { goldenDocument, renderGoldenFiles } from '../test/golden/render.ts'
import { writeSchema } from './schema.ts'

/**
 * `npm run golden`: regenerates the golden files. Read the diff before committing it: it is the review. With `-- --release`, for the commit
 * that releases a version, it also writes the files with which later versions are compared.
 */
for (const [name, text] of Object.entries(renderGoldenFiles())) {
  await writeFile(new URL(`../docs/api/${name}`, import.meta.url), text)
}
await writeFile(new URL('../docs/api/sdk.txt', import.meta.url), publicApi())
if (process.argv.includes('--release')) {
  await writeFile(new URL('../test/golden/released.json', import.meta.url), renderReleased(goldenDocument))
}

// These tables are parts of hand-written pages.
const boundsPage = new URL('../docs/operations/bounds.md', import.meta.url)
await writeFile(boundsPage, withBounds(await readFile(boundsPage, 'utf8')))
const commandsPage = new URL('../docs/operations/commands.md', import.meta.url)
await writeFile(commandsPage, await withCommands(await readFile(commandsPage, 'utf8')))
const errorsPage = new URL('../docs/contract/14-errors-and-limits.md', import.meta.url)
await writeFile(errorsPage, withErrors(await readFile(errorsPage, 'utf8')))

await writeSchema()
