import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { until } from './waiting.ts'

/**
 * A folder of this run that the first worker to need it fills; the others wait for it. An error of `fill` is thrown in that worker only:
 * the others give up after two minutes.
 */
export async function onceInRun(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(inject('scratch'), name)
  const filled = `${folder}-is-filled`
  if (await isFirst(folder)) {
    await fill(folder)
    await writeFile(filled, '')
  } else {
    await until(`${name}, which another worker makes`, () => isThere(filled), 120_000)
  }
  return folder
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o755 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Whether a file or folder exists at this path. */
export const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
