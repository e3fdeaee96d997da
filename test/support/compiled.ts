import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const cache = join(root, 'node_modules', '.cache', 'crm-program')

/** The main file of the program, compiled once for each state of its sources: from sources, each start takes twice as long. */
export async function compiledProgram(): Promise<string> {
  const folder = join(cache, await stateOfSources())
  const main = join(folder, 'dist', 'main.js')
  if (await isThere(main)) return main
  await removeOld()
  const draft = `${folder}-${randomUUID()}`
  await mkdir(draft, { recursive: true })
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'tsc'), [
    ...['--project', join(root, 'tsconfig.build.json')],
    ...['--outDir', join(draft, 'dist')],
  ])
  await writeFile(join(draft, 'package.json'), '{ "type": "module" }\n')
  await symlink(join(root, 'migrations'), join(draft, 'migrations'))
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true })
    // Another file of the same run may have been faster.
    if (!(await isThere(main))) throw error
  })
  return main
}

async function removeOld(): Promise<void> {
  const aDayAgo = Date.now() - 24 * 60 * 60 * 1000
  for (const name of await readdir(cache).catch(() => [])) {
    const folder = join(cache, name)
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < aDayAgo) await rm(folder, { recursive: true, force: true })
  }
}

async function stateOfSources(): Promise<string> {
  const hash = createHash('sha256')
  const names = await readdir(join(root, 'src'), { recursive: true })
  const sources = names.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()
  for (const name of ['tsconfig.json', 'tsconfig.build.json', ...sources.map(source => join('src', source))]) {
    hash.update(`${name}\0`).update(await readFile(join(root, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
