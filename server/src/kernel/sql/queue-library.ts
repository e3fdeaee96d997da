import { createRequire } from 'node:module'

/**
 * The library of the job queue. When it is loaded it looks for settings of its own in the folder that the process is in, and fails
 * where its user may not read that: so it is loaded from where there are none.
 */
export async function queueLibrary() {
  const folder = process.cwd()
  process.chdir('/')
  try {
    // Loaded synchronously, so that no other code runs while the process is in this folder.
    createRequire(import.meta.url)('graphile-worker')
  } finally {
    returnTo(folder)
  }
  return import('graphile-worker')
}

/** A process cannot go back into a folder that its user may not read. It needs nothing from there. */
function returnTo(folder: string): void {
  try {
    process.chdir(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
  }
}
