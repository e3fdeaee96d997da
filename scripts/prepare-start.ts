import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
// Declares the bodies of the routes that are no operations.
import '../server/src/entrypoints/http/cabinet/cabinet-routes.ts'
import { describeApi } from '../server/src/entrypoints/http/reference/describe-api.ts'
import { fileOfChecks, sourceOfDeclaredChecks } from '../server/src/kernel/schema/index.ts'

/**
 * Writes everything that is derived from the declarations beside the compiled program in that directory, so that starts need not compute
 * it.
 */
export async function prepareStart(directory: string): Promise<void> {
  const folder = join(directory, 'prepared')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(describeApi()))
  for (const kind of ['quick', 'thorough'] as const) {
    const minify = (source: string) => transformSync(source, { minifyWhitespace: true, minifySyntax: true }).code
    await writeFile(join(folder, fileOfChecks(kind)), sourceOfDeclaredChecks(kind, minify))
  }
}
