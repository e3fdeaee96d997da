import { cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describedIn } from './program.ts'
import { repository, run } from './run.ts'

/**
 * Builds the wheel and the source distribution of the client in Python, in an empty folder, and writes them into that of the release.
 * Needs Python with `venv`, and its registry. Returns the files.
 */
export async function packPython(folder: string, release: string): Promise<string[]> {
  const client = join(repository, 'packages', 'python')
  const sources = join(folder, 'sources')
  await run(join(repository, 'node_modules', '.bin', 'tsx'), [join(repository, 'packages/sdk/scripts/generate.ts')])
  await mkdir(sources)
  for (const name of ['README.md', 'pyproject.toml', 'src'])
    await cp(join(client, name), join(sources, name), {
      recursive: true,
      filter: file => basename(file) !== '__pycache__',
    })
  await cp(join(repository, 'LICENSE'), join(sources, 'LICENSE'))
  await run('python3', ['-m', 'venv', 'tools'], folder)
  const tool = (name: string) => join(folder, 'tools', 'bin', name)
  await run(tool('pip'), ['install', '--quiet', '--disable-pip-version-check', 'hatchling==1.33.0'])
  await run(tool('hatchling'), ['build', '--directory', release, '--target', 'wheel', '--target', 'sdist'], sources)
  const { version } = await describedIn('server')
  return [join(release, `crm_sdk-${version}-py3-none-any.whl`), join(release, `crm_sdk-${version}.tar.gz`)]
}
