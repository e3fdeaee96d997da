import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isThere, onceInRun } from './once-in-run.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const packagePlace = ['node_modules', '@crm-server', 'embedded-postgres']
const cache = join(root, 'node_modules', '.cache', 'crm-program')

/** The main file of the program, compiled by the first worker that needs it: from the sources, each start takes twice as long. */
export async function compiledProgram(): Promise<string> {
  const folder = await onceInRun('compiled', async made => writeFile(join(made, 'main'), await compileProgram()))
  return readFile(join(folder, 'main'), 'utf8')
}

/** The same for code that runs before all workers: compiles once for each state of the sources. */
export async function compileProgram(): Promise<string> {
  const folder = join(cache, await stateOfSources())
  const main = join(folder, 'dist', 'main.js')
  if (await isThere(main)) return main
  await removeOld()
  const draft = `${folder}-${randomUUID()}`
  await mkdir(draft, { recursive: true })
  await compilePackage(join(draft, ...packagePlace))
  await copyFile(join(root, 'server', 'package.json'), join(draft, 'package.json'))
  await symlink(join(root, 'server', 'migrations'), join(draft, 'migrations'))
  // Runs in a process of its own, because tests also declare checks.
  await run('tsx', ['--conditions=source', join(root, 'scripts', 'build.ts'), join(draft, 'dist')])
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true })
    // Another run may have finished first.
    if (!(await isThere(main))) throw error
  })
  return main
}

/** The embedded database of the compiled program. */
export async function compiledPackage(): Promise<string> {
  const dist = dirname(await compiledProgram())
  return join(dist, '..', ...packagePlace, 'dist', 'index.js')
}

/** Compiles the embedded database into another folder, beside a copy of its package.json; `npm run check` checks its types. */
async function compilePackage(folder: string): Promise<void> {
  const workspace = join(root, 'packages', 'embedded-postgres')
  await mkdir(folder, { recursive: true })
  await copyFile(join(workspace, 'package.json'), join(folder, 'package.json'))
  const project = join(workspace, 'tsconfig.build.json')
  await run('tsc', ['--project', project, '--outDir', join(folder, 'dist'), '--noCheck'])
}

function run(name: string, words: readonly string[]) {
  return promisify(execFile)(join(root, 'node_modules', '.bin', name), words)
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
  const workspaces = ['server', join('packages', 'embedded-postgres')]
  const scripts = ['build', 'build-cabinet', 'build-reference', 'build-server', 'prepare-start'].map(
    name => `scripts/${name}.ts`,
  )
  const files = [
    'tsconfig.json',
    'package-lock.json',
    ...scripts,
    ...(await filesOfPages()),
    ...(await Promise.all(workspaces.map(filesOf))).flat(),
  ]
  for (const file of files) hash.update(`${file}\0`).update(await readFile(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

async function filesOf(workspace: string): Promise<string[]> {
  const names = await readdir(join(root, workspace, 'src'), { recursive: true })
  const sources = names.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()
  return ['package.json', 'tsconfig.build.json', ...sources.map(name => join('src', name))].map(name =>
    join(workspace, name),
  )
}

/** What the pages are built from. */
async function filesOfPages(): Promise<string[]> {
  const names = await readdir(join(root, 'cabinet'), { recursive: true, withFileTypes: true })
  const files = names.filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort()
}
