import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { root } from '../../support/compiled.ts'

const run = promisify(execFile)

/** The release to upgrade from: the commit or tag that `UPGRADE_FROM` names, or the last release before this commit. */
export async function previousRelease(): Promise<string> {
  const named = process.env['UPGRADE_FROM']
  if (named !== undefined && named !== '') return named
  const { stdout } = await run(join(root, '.ci', 'previous-release'))
  return stdout.trim()
}

/** The main file of the program of a release, which is installed and compiled as its operators do it. It goes with the run. */
export async function programOf(release: string): Promise<string> {
  const folder = join(inject('scratch'), 'release')
  const archive = `${folder}.tar`
  await mkdir(folder)
  await run('git', ['archive', '--output', archive, release], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder })
  return join(folder, 'server', 'dist', 'main.js')
}
