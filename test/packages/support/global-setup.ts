import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { run } from '../../../scripts/release/run.ts'

/** A release of the sources as they are, for all files of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-release-test-'))
  await chmod(folder, 0o755)
  await run('npm', ['run', 'release', '--', 'all', folder])
  project.provide('release', folder)
  return () => rm(folder, { recursive: true, force: true })
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the files of the release. */
    release: string
  }
}
